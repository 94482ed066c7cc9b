/* warptune
[kernel]
name = "divergence"
description = "one of four loops for each element; with the fault the lanes of a warp take different ones"
entry = "divergence"

[problem]
BLOCKS_PER_SM = 32

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * BLOCKS_PER_SM"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "256 * device_sm_count * BLOCKS_PER_SM"
init = { kind = "uniform", low = 0.5, high = 1.5, seed = 7 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "256 * device_sm_count * BLOCKS_PER_SM"
*/

extern "C" __global__ void divergence(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if FAULT
  const int path = i % 4;
#else
  const int path = i / 32 % 4;
#endif
  float x = in[i];
  if (path == 0) {
#pragma unroll 8
    for (int k = 0; k < 512; ++k) x = fmaf(x, 0.999f, 0.001f);
  } else if (path == 1) {
#pragma unroll 8
    for (int k = 0; k < 512; ++k) x = fmaf(x, x, -0.5f);
  } else if (path == 2) {
#pragma unroll 8
    for (int k = 0; k < 512; ++k) x = x * 1.0001f * 0.9999f;
  } else {
#pragma unroll 8
    for (int k = 0; k < 512; ++k) x = x + 0.25f + x;
  }
  out[i] = x;
}
