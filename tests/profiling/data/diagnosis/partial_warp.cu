/* warptune
[kernel]
name = "partial_warp"
description = "multiply-adds in blocks of two warps; with the fault the second has a single thread"
entry = "partial_warp"

[problem]
N = 4194304

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["ceil_div(N, FAULT == 1 ? 33 : 64)"]
block = ["FAULT == 1 ? 33 : 64"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = 0.5, high = 1.5, seed = 7 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"
*/

extern "C" __global__ void partial_warp(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = in[i], b = a + 1.0f;
#pragma unroll 8
  for (int k = 0; k < 512; ++k) {
    a = fmaf(a, 0.999f, 0.001f);
    b = fmaf(b, 0.999f, 0.001f);
  }
  out[i] = a + b;
}
