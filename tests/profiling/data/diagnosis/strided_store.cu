/* warptune
[kernel]
name = "strided_store"
description = "copies floats; with the fault the lanes of a warp store to 32 distant rows"
entry = "strided_store"

[problem]
N = 33554432

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["N / 2048"]
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

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "expression"
expression = "1.5f"

[work]
bytes = "8 * N"
*/

extern "C" __global__ void strided_store(const float* __restrict__ in, float* __restrict__ out, int n) {
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int i = (blockIdx.x * 8 + k) * blockDim.x + threadIdx.x;
#if FAULT
    const int to = i % 32 * (n / 32) + i / 32;
#else
    const int to = i;
#endif
    out[to] = in[i];
  }
}
