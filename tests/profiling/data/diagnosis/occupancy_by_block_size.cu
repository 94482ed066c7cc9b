/* warptune
[kernel]
name = "occupancy_by_block_size"
description = """\
  a stream whose next address is read from memory; with the fault only two blocks of 22 warps fit the 64 of an SM"""
entry = "occupancy_by_block_size"
defines = { CHAINS = "2" }

[problem]
N = 67108864

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * (device_max_threads_per_sm / (FAULT == 1 ? 704 : 512))"]
block = ["FAULT == 1 ? 704 : 512"]

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

extern "C" __global__ void occupancy_by_block_size(const int* in, int* out, int n) {
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
