/* warptune
[kernel]
name = "array_of_structs"
description = """\
  copies the first field of N records of four floats; without the fault the fields lie in arrays of their own"""
entry = "array_of_structs"

[problem]
N = 16777216

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
count = "4 * N"
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

extern "C" __global__ void array_of_structs(const float* __restrict__ in, float* __restrict__ out) {
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int i = (blockIdx.x * 8 + k) * blockDim.x + threadIdx.x;
#if FAULT
    out[i] = in[4 * i];
#else
    out[i] = in[i];
#endif
  }
}
