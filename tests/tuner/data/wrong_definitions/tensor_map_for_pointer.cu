/* warptune
[kernel]
entry = "scale"

[problem]
N = 1024

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
kind = "tensor_map"
of = "x"
shape = ["N / 8", "8"]
box = ["8", "8"]

[check]
reference = "expression"
expression = "2.0f * x[i]"
*/
__global__ void scale(const float* x, float* y, int* n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  y[i] = 2.0f * x[i] + n[0];
}
