/* warptune
[kernel]
name = "calibration"
description = "a kernel whose true time is known: one block per SM waits NS nanoseconds by the GPU's own clock"
entry = "calibration"

[problem]
NS = 100000

[parameters]
RECORD.values = [0, 1]
RECORD.description = """\
  whether blocks record when they began and ended; the stores take time, so they are off in timed launches"""

[default]
RECORD = 0

[launch]
grid = ["device_sm_count"]
block = ["32"]

[[argument]]
name = "times"
kind = "out"
type = "u64"
count = "2 * device_sm_count"

[[argument]]
name = "ns"
kind = "scalar"
type = "i64"
value = "NS"
*/

__device__ unsigned long long now_ns() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

extern "C" __global__ void calibration(unsigned long long* times, long long ns) {
  const unsigned long long started = now_ns();
  unsigned long long now = started;
  while (now - started < (unsigned long long)ns) now = now_ns();
#if RECORD
  if (threadIdx.x == 0) {
    times[2 * blockIdx.x] = started;
    times[2 * blockIdx.x + 1] = now;
  }
#endif
}
