/* warptune
[kernel]
name = "one_load_in_flight"
description = "a stream whose next address is read from memory; with the fault one a thread, else several beside each other"
entry = "one_load_in_flight"
defines = { CHAINS = "FAULT == 1 ? 1 : MOST_CHAINS" }

[problem]
N = 67108864

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }
MOST_CHAINS = { values = [2, 4, 8], description = "streams of a thread without the fault", when = "FAULT == 0", otherwise = 2 }

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
