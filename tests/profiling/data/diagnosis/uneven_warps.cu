/* warptune
[kernel]
name = "uneven_warps"
description = "multiply-adds; with the fault one warp of each block has all of the block's work"
entry = "uneven_warps"

[problem]
BLOCKS_PER_SM = 16

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * BLOCKS_PER_SM"]
block = ["1024"]

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "1024 * device_sm_count * BLOCKS_PER_SM"
*/

extern "C" __global__ void uneven_warps(float* out) {
  const int warp = threadIdx.x / 32;
  float a = threadIdx.x * 0.001f, b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
#if FAULT
  const int steps = warp == 0 ? 32 * 256 : 0;
#else
  const int steps = 256;
#endif
#pragma unroll 4
  for (int k = 0; k < steps; ++k) {
    a = fmaf(a, 0.999f, 0.001f);
    b = fmaf(b, 0.999f, 0.001f);
    c = fmaf(c, 0.999f, 0.001f);
    d = fmaf(d, 0.999f, 0.001f);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d + warp;
}
