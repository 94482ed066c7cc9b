/* warptune
[kernel]
name = "occupancy_cliff_shared"
description = "every warp follows a chain of dependent loads; blocks hold SHARED_KB of shared memory"
about = """
A warp starts at an entry of a table and goes STEPS times to the entry that the current one names. The next load waits
for the last one, so a warp does nothing but wait. Only other warps can use that time. The total time is that of one
chain multiplied by the number of chains that an SM has to run one after another. The table stays in L2. Loads bypass
L1, because its size depends on the shared memory in use.

SHARED_KB is the shared memory that a block requests. It uses only the first words. What matters is how many blocks
still fit on an SM. The grid has 120 blocks of 256 threads for each SM. Numbers of 1, 2, 3, 4, 5, 6 and 8 resident
blocks divide 120, so no last wave is partly empty.
"""
entry = "occupancy_cliff_shared"

[problem]
ENTRIES = { value = 1048576, description = "entries of the table, a power of two up to 2^20" }
STEPS = { value = 64, description = "loads of a chain" }

[parameters]
SHARED_KB = { values = [1, 16, 24, 32, 40, 48, 64, 96], description = "KiB of shared memory that a block requests" }

[constraints]
list = [
  { expression = "SHARED_KB * 1024 <= device_shared_bytes_per_block_optin", reason = "a block cannot have more" },
]

[default]
SHARED_KB = 32

[launch]
grid = ["120 * device_sm_count"]
block = ["256"]
shared_bytes = "SHARED_KB * 1024"

# The table is a linear congruence with a multiplier 4 k + 1 and an odd increment: one cycle through all entries.
[[argument]]
name = "next"
kind = "in"
type = "i32"
count = "ENTRIES"
init = { kind = "expression", value = "(i * 1664525 + 1013904223) % ENTRIES", seed = 1 }

# The result is the entry where the chain of each warp ends.
[[argument]]
name = "last"
kind = "out"
type = "i32"
count = "120 * device_sm_count * 8"

[[argument]]
name = "entries"
kind = "scalar"
type = "i32"
value = "ENTRIES"

[[argument]]
name = "steps"
kind = "scalar"
type = "i32"
value = "STEPS"

[check]
reference = "entry"
entry = "occupancy_cliff_shared_reference"
grid = ["120 * device_sm_count / 4"]
block = ["32"]
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "4 * ENTRIES"
*/

__device__ __forceinline__ int first_entry(int chain, int entries) {
  return static_cast<int>(static_cast<unsigned>(chain) * 2654435761u) & (entries - 1);
}

__global__ void __launch_bounds__(256)
    occupancy_cliff_shared(const int* __restrict__ next, int* __restrict__ last, int entries, int steps) {
  extern __shared__ int ends[];  // far longer than the 8 words that are used
  const int warp = static_cast<int>(threadIdx.x) / 32;
  int entry = first_entry(static_cast<int>(blockIdx.x) * 8 + warp, entries);
#pragma unroll 8
  for (int step = 0; step < steps; ++step) entry = __ldcg(next + entry);
  if (threadIdx.x % 32 == 0) ends[warp] = entry;
  __syncthreads();
  if (threadIdx.x < 8) last[blockIdx.x * 8 + threadIdx.x] = ends[threadIdx.x];
}

#ifdef WARPTUNE_REFERENCE
__global__ void occupancy_cliff_shared_reference(const int* next, int* last, int entries, int steps) {
  const int chain = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  int entry = first_entry(chain, entries);
  for (int step = 0; step < steps; ++step) entry = next[entry];
  last[chain] = entry;
}
#endif
