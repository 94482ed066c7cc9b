/* warptune
[kernel]
name = "carveout_tiles"
description = "blocks that each follow a chain through their own 8 KiB of shared memory"
entry = "carveout_tiles"
about = """
A block copies a ring of 2048 numbers to shared memory. Then each of its 64 threads follows the ring for `hops` steps.
Each step needs the result of the one before, so only further blocks on the SM fill the time in which a thread waits.
CARVEOUT is the share of an SM's memory that the kernel prefers as shared memory, in percent. It limits how many blocks
fit on an SM.
"""

[problem]
hops = { value = 2048, description = "steps of a thread" }
blocks_per_sm = { value = 24, description = "blocks for each SM" }

[parameters]
CARVEOUT = { values = [-1, 0, 50, 100], description = "preferred share of shared memory; -1: the driver chooses" }

[default]
CARVEOUT = -1

[launch]
grid = ["device_sm_count * blocks_per_sm"]
block = ["64"]
carveout = "CARVEOUT"

[[argument]]
name = "next"
kind = "in"
type = "u32"
count = "2048"
init = { kind = "expression", value = "(i + 33) % 2048" }
[[argument]]
name = "ends"
kind = "out"
type = "u32"
count = "device_sm_count * blocks_per_sm * 64"
[[argument]]
name = "hops"
kind = "scalar"
type = "i32"
value = "hops"

[check]
reference = "entry"
entry = "carveout_tiles_reference"
grid = ["device_sm_count * blocks_per_sm"]
block = ["64"]

[work]
flops = "0"
bytes = "device_sm_count * blocks_per_sm * 256"
*/

extern "C" __global__ void __launch_bounds__(64)
    carveout_tiles(const unsigned* next, unsigned* ends, int hops) {
  __shared__ unsigned ring[2048];
  for (int i = threadIdx.x; i < 2048; i += 64) ring[i] = next[i];
  __syncthreads();
  unsigned at = threadIdx.x;
#pragma unroll 16
  for (int hop = 0; hop < hops; ++hop) at = ring[at];
  ends[blockIdx.x * 64 + threadIdx.x] = at;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void carveout_tiles_reference(const unsigned* next, unsigned* ends, int hops) {
  unsigned at = threadIdx.x;
  for (int hop = 0; hop < hops; ++hop) at = next[at];
  ends[blockIdx.x * 64 + threadIdx.x] = at;
}
#endif
