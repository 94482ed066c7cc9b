/* warptune
[kernel]
name = "occupancy_by_blocks"
description = """\
  a stream whose next address is read from memory; with the fault blocks are single warps, and an SM takes only 32 \
  of them"""
entry = "occupancy_by_blocks"

[problem]
N = 67108864

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }
CHAINS = { values = [2, 3], description = "streams per thread" }

[default]
FAULT = 1
CHAINS = 2

[launch]
grid = ["device_sm_count * device_max_threads_per_sm / (FAULT == 1 ? 32 : 128)"]
block = ["FAULT == 1 ? 32 : 128"]

[[argument]]
name = "in"
kind = "in"
type = "i32"
count = "N"
init = { kind = "iota", start = 0, step = 1 }

[[argument]]
name = "out"
kind = "out"
type = "i32"
count = "device_sm_count * device_max_threads_per_sm"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[work]
bytes = "4 * N"
*/

extern "C" __global__ void occupancy_by_blocks(const int* in, int* out, int n) {
  // in[i] is i: the address of the next load is known when the last one has come back.
  const int threads = gridDim.x * blockDim.x;
  int at[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) at[c] = blockIdx.x * blockDim.x + threadIdx.x + c * threads;
  int sum = 0;
#pragma unroll 1
  while (at[CHAINS - 1] < n) {
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) {
      const int value = in[at[c]];
      sum ^= value;
      at[c] = value + CHAINS * threads;
    }
  }

  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
