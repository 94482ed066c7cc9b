/* warptune
[kernel]
name = "shared_as_cache"
description = """\
  adds up sixteen entries of a table for each element; with the fault every block first copies the table to shared \
  memory"""
entry = "shared_as_cache"

[problem]
N = 16777216

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["N / 512"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N"
init = { kind = "constant", value = 1.5 }

[[argument]]
name = "table"
kind = "in"
type = "f32"
count = "4096"
init = { kind = "constant", value = 1.5 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

[check]
reference = "expression"
expression = "25.5f"

[work]
bytes = "8 * N"
*/

extern "C" __global__ void shared_as_cache(const float* in, const float* table, float* out) {
#if FAULT
  __shared__ float copy[4096];
#pragma unroll
  for (int k = 0; k < 16; ++k) copy[threadIdx.x + 256 * k] = table[threadIdx.x + 256 * k];
  __syncthreads();
#else
  const float* copy = table;
#endif
#pragma unroll
  for (int element = 0; element < 2; ++element) {
    const int i = (blockIdx.x * 2 + element) * 256 + threadIdx.x;
    float sum = in[i];
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += copy[(threadIdx.x + 256 * k + 32 * element + 32) % 4096];
    out[i] = sum;
  }
}
