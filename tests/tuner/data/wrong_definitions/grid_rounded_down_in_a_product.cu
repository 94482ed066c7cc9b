/* warptune
[kernel]
entry = "scale"

[problem]
M = 100
N = 100

[parameters]
BLOCK = [32, 64]

[default]
BLOCK = 64

[launch]
grid = ["M * (N / BLOCK)"]
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
value = "M * N"

[check]
reference = "expression"
expression = "2.0f * x[i]"
*/
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
