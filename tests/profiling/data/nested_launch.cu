/* warptune
[kernel]
name = "nested_launch"
description = "a kernel that launches another for what it found to do"
entry = "parent<{BLOCK}>"
libraries = ["cudadevrt"]

[problem]
N = 10000

[parameters]
BLOCK = [64, 128]

[default]
BLOCK = 64

[launch]
grid = ["1"]
block = ["64"]

[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"

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
expression = "2.0f * x[i]"
absolute = 0.0
*/
__global__ void child(const float* x, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = 2.0f * x[i];
}

template <int block>
__global__ void parent(const float* x, float* out, int n) {
  __shared__ float seen[64];
  seen[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0 && seen[63] < 2.0f) child<<<(n + block - 1) / block, block>>>(x, out, n);
}
