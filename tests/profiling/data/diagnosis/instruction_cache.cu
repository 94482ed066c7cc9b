/* warptune
[kernel]
name = "instruction_cache"
description = "multiply-adds; with the fault the loop is unrolled beyond the instruction caches"
entry = "instruction_cache"
defines = { UNROLL = "FAULT == 1 ? 8192 : 16" }

[problem]
BLOCKS_PER_SM = 16

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

extern "C" __global__ void instruction_cache(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i], b = a + 1.0f;
#pragma unroll 1
  for (int round = 0; round < 8; ++round) {
#pragma unroll UNROLL
    for (int k = 0; k < 8192; ++k) {
      a = fmaf(a, 0.999f, 0.001f);
      b = fmaf(b, 0.999f, 0.001f);
    }
  }
  out[i] = a + b;
}
