/* warptune
[kernel]
name = "one_load_in_flight"
description = """\
  a stream in which a warp computes its next addresses from the data that it read; with the fault a warp has one \
  stream, otherwise several at the same time"""
entry = "one_load_in_flight"
defines = { CHAINS = "FAULT == 1 ? 1 : MOST_CHAINS" }

[problem]
N = 67108864

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }
MOST_CHAINS.values = [2, 4, 8]
MOST_CHAINS.description = "streams per warp without the fault"
MOST_CHAINS.when = "FAULT == 0"
MOST_CHAINS.otherwise = 2

[default]
FAULT = 1
MOST_CHAINS = 2

[launch]
grid = ["device_sm_count * (device_max_threads_per_sm / 256)"]
block = ["256"]

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

extern "C" __global__ void one_load_in_flight(const int* in, int* out, int n) {
  // in[i] is i: a row's largest value tells where the warp is.
  const int threads = gridDim.x * blockDim.x;
  const int lane = threadIdx.x % 32;
  int at[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) at[c] = blockIdx.x * blockDim.x + threadIdx.x + c * threads;
  int sum = 0;
#pragma unroll 1
  while (at[CHAINS - 1] < n) {
    int largest[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) {
      largest[c] = in[at[c]];
      sum ^= largest[c];
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
#pragma unroll
      for (int c = 0; c < CHAINS; ++c)
        largest[c] = max(largest[c], __shfl_xor_sync(0xffffffffu, largest[c], step));
    }
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) at[c] = largest[c] - 31 + lane + CHAINS * threads;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
