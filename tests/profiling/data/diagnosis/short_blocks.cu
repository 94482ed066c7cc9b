/* warptune
[kernel]
name = "short_blocks"
description = "copies floats, eight per thread; with the fault one per thread, in eight times as many blocks"
entry = "short_blocks"
defines = { ELEMENTS = "FAULT == 1 ? 1 : 8" }

[problem]
N = 33554432

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["FAULT == 1 ? N / 256 : N / 2048"]
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

[check]
reference = "expression"
expression = "1.5f"

[work]
bytes = "8 * N"
*/

extern "C" __global__ void short_blocks(const float* __restrict__ in, float* __restrict__ out) {
#pragma unroll
  for (int k = 0; k < ELEMENTS; ++k) {
    const int i = (blockIdx.x * ELEMENTS + k) * blockDim.x + threadIdx.x;
    out[i] = in[i];
  }
}
