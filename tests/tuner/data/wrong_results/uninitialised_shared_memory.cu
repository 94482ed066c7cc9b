/* warptune
[kernel]
entry = "sums"

[problem]
N = 1000

[parameters]
BLOCK = [128]

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
count = "ceil_div(N, 128)"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "entry"
entry = "reference"
grid = [1]
block = ["ceil_div(N, 128)"]
absolute = 1e-3
*/
__global__ void sums(const float* x, float* y, int n) {
  __shared__ float part[BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) part[threadIdx.x] = x[i];
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
__global__ void reference(const float* x, float* y, int n) {
  const int block = threadIdx.x;
  float sum = 0.0f;
  for (int i = block * BLOCK; i < n && i < (block + 1) * BLOCK; ++i) sum += x[i];
  y[block] = sum;
}
