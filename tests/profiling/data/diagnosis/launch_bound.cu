/* warptune
[kernel]
name = "launch_bound"
description = "a multiply-add for each element; with the fault a launch handles only what four blocks do"
entry = "launch_bound"

[problem]
N = 33554432

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["FAULT == 1 ? 4 : N / 2048"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N"
init = { kind = "constant", value = 1.5 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"
*/

extern "C" __global__ void launch_bound(const float* __restrict__ in, float* __restrict__ out) {
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int i = (blockIdx.x * 8 + k) * blockDim.x + threadIdx.x;
    out[i] = fmaf(in[i], 2.0f, 1.0f);
  }
}
