/* warptune
[kernel]
entry = "scale"

[problem]
N = 1000

[parameters]
BLOCK = [1024, 2048]

[default]
BLOCK = 1024

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
carveout = true

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
  if (i < n) y[i] = 2.0f * x[i];
}
