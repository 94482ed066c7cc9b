/* warptune
[kernel]
name = "calibration"
description = "one block an SM, each waiting NS on the GPU's own clock: a kernel whose true time is known"
entry = "calibration"

[problem]
NS = 100000

[parameters]
RECORD.values = [0, 1]
RECORD.description = """\
  whether blocks say when they began and ended; their stores take time, so timed launches do without"""

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
