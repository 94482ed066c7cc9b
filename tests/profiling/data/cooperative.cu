/* warptune
[kernel]
name = "cooperative"
description = "every block waits for all others, so that all must be resident"
entry = "meet"
[parameters]
BLOCKS_PER_SM = [1, 100]
[default]
BLOCKS_PER_SM = 1
[launch]
grid = ["device_sm_count * BLOCKS_PER_SM"]
block = [64]
cooperative = true
[[argument]]
name = "met"
kind = "scratch"
type = "u32"
count = 1
zero = true
[[argument]]
name = "seen"
kind = "out"
type = "u32"
count = "device_sm_count"
[check]
reference = "entry"
entry = "all_seen"
grid = ["device_sm_count"]
block = [1]
*/
extern "C" __global__ void meet(unsigned* met, unsigned* seen) {
  if (threadIdx.x != 0) return;
  atomicAdd(met, 1u);
  while (atomicAdd(met, 0u) < gridDim.x) {
  }
  seen[blockIdx.x] = gridDim.x;
}
extern "C" __global__ void all_seen(unsigned*, unsigned* seen) { seen[blockIdx.x] = gridDim.x; }
