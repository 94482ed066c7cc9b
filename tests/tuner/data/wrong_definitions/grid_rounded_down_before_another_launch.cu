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
grid = ["N / BLOCK"]
block = ["BLOCK"]

[[launch.after]]
entry = "count_blocks"
grid = [1]
block = [1]

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
name = "blocks"
kind = "scratch"
type = "i32"
count = 1

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "expression"
expression = "2.0f * x[i]"
*/
__global__ void scale(const float* x, float* y, int* blocks, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
__global__ void count_blocks(const float*, float*, int* blocks, int n) { *blocks = n / BLOCK; }
