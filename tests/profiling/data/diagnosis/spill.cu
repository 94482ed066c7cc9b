/* warptune
[kernel]
name = "spill"
description = """\
  96 running values per thread; with the fault registers are limited so that all threads of an SM could be resident"""
entry = "spill"
defines = { MIN_BLOCKS = "FAULT == 1 ? device_max_threads_per_sm / 128 : 1" }

[problem]
BLOCKS_PER_SM = 64

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * BLOCKS_PER_SM"]
block = ["128"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "128 * device_sm_count * BLOCKS_PER_SM"
init = { kind = "uniform", low = 0.5, high = 1.5, seed = 7 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "128 * device_sm_count * BLOCKS_PER_SM"
*/

extern "C" __global__ void __launch_bounds__(128, MIN_BLOCKS) spill(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float values[96];
#pragma unroll
  for (int k = 0; k < 96; ++k) values[k] = in[i] + k;
#pragma unroll 1
  for (int round = 0; round < 32; ++round) {
#pragma unroll
    for (int k = 0; k < 96; ++k) values[k] = fmaf(values[k], values[(k + 1) % 96], -0.25f);
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 96; ++k) sum += values[k];
  out[i] = sum;
}
