/* warptune
[kernel]
name = "shared_as_cache"
description = "adds up eight entries of a small table for each element; with the fault every block first copies the table to shared memory"
entry = "shared_as_cache"

[problem]
N = 16777216

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["N / 128"]
block = ["128"]

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
count = "1024"
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
expression = "13.5f"

[work]
bytes = "8 * N"
*/

extern "C" __global__ void shared_as_cache(const float* in, const float* table, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if FAULT
  __shared__ float copy[1024];
#pragma unroll
  for (int k = 0; k < 8; ++k) copy[threadIdx.x + 128 * k] = table[threadIdx.x + 128 * k];
  __syncthreads();
#else
  const float* copy = table;
#endif
  float sum = in[i];
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += copy[(threadIdx.x + 128 * k + 32) % 1024];
  out[i] = sum;
}
