/* warptune
[kernel]
name = "occupancy_by_registers"
description = """\
  a stream whose next address is read from memory, times 160 factors; with the fault they wait in registers for its \
  end"""
entry = "occupancy_by_registers"
defines = { CHAINS = "4" }

[problem]
N = 67108864

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * (device_max_threads_per_sm / 128)"]
block = ["128"]

[[argument]]
name = "in"
kind = "in"
type = "i32"
count = "N"
init = { kind = "iota", start = 0, step = 1 }

[[argument]]
name = "factors"
kind = "in"
type = "f32"
count = "160 * 32"
init = { kind = "uniform", low = 0.5, high = 1.5, seed = 7 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "device_sm_count * device_max_threads_per_sm"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[work]
bytes = "4 * N"
*/

extern "C" __global__ void occupancy_by_registers(const int* in, const float* factors, float* out, int n) {
  float held[160];
#pragma unroll
  for (int k = 0; k < 160; ++k) held[k] = __ldg(factors + k * 32 + threadIdx.x % 32);
#if !FAULT
  float total = 0.0f;
#pragma unroll
  for (int k = 0; k < 160; ++k) total += held[k];
#endif
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

  float result = 0.0f;
#if FAULT
#pragma unroll
  for (int k = 0; k < 160; ++k) result = fmaf(held[k], (float)sum, result);
#else
  result = total * (float)sum;
#endif
  out[blockIdx.x * blockDim.x + threadIdx.x] = result;
}
