/* warptune
[kernel]
name = "spin"
description = "the calibration kernel: one thread that waits a known time on the GPU's own clock"
entry = "spin"

[problem]
N = 1

[parameters]
WAIT_NS = [100000, 300000, 1000000]

[default]
WAIT_NS = 100000

[launch]
grid = ["1"]
block = ["32"]

[[argument]]
name = "c"
kind = "out"
type = "i32"
count = "N"
*/

__device__ unsigned long long now_ns() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

extern "C" __global__ void spin(int* c) {
  const unsigned long long started = now_ns();
  while (now_ns() - started < WAIT_NS) {
  }
  *c = 1;
}
