/* warptune
[kernel]
entry = "scale"

[problem]
N = 1000

[parameters]
BLOCK = [64, 128]

[default]
BLOCK = 128

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"

[[argument]]
name = "y"
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
expression = "2.0f * x[i]"
*/
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  float value = i < n ? x[i] : 0.0f;
  if (threadIdx.x % 2 == 0) {
    value += __shfl_xor_sync(0xffffffff, value, 2);
  }
  __syncthreads();
  if (i < n) y[i] = 2.0f * value;
}
