/* warptune
[kernel]
name = "array_of_structs"
description = "copies the first field of N records of eight floats; without the fault the fields lie in arrays of their own"
entry = "array_of_structs"

[problem]
N = 8388608

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
count = "8 * N"
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

extern "C" __global__ void array_of_structs(const float* in, float* out, int n) {
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int i = (blockIdx.x * 8 + k) * blockDim.x + threadIdx.x;
    if (i >= n) return;
#if FAULT
    out[i] = in[8 * i];
#else
    out[i] = in[i];
#endif
  }
}
