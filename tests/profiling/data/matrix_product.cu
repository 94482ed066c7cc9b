/* warptune
[kernel]
name = "matrix_product"
description = "C = A B by cuBLAS or by a plain kernel, in a graph or not"
[problem]
M = 96
N = 160
K = 64
dtype = "f32"
[parameters]
METHOD = ["kernel", "cublas"]
MATH = ["default", "pedantic"]
SUBMIT = ["stream", "graph"]
[default]
METHOD = "kernel"
MATH = "default"
SUBMIT = "stream"
[host]
streams = 2
graph = "SUBMIT == 'graph'"
[[host.loop]]
when = "METHOD == 'kernel'"
[[host.loop.step]]
launch = "product"
grid = ["ceil_div(N, 16)", "ceil_div(M, 16)"]
block = [16, 16]
[[host.loop]]
when = "METHOD == 'cublas'"
stream = 1
[[host.loop.step]]
call = "cublas_gemm"
with = { a = "a", b = "b", c = "c", m = "M", n = "N", k = "K", math = "MATH" }
[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "M * K"
[[argument]]
name = "b"
kind = "in"
type = "dtype"
count = "K * N"
[[argument]]
name = "c"
kind = "out"
type = "f32"
count = "M * N"
[[argument]]
name = "m"
kind = "scalar"
type = "i32"
value = "M"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"
[[argument]]
name = "k"
kind = "scalar"
type = "i32"
value = "K"
[check]
reference = "configuration"
absolute = 1e-4
relative = 1e-4
*/
#include <cuda_fp16.h>
extern "C" __global__ void product(const dtype* a, const dtype* b, float* c, int m, int n, int k) {
  const int column = blockIdx.x * 16 + threadIdx.x;
  const int row = blockIdx.y * 16 + threadIdx.y;
  if (column >= n || row >= m) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += (float)a[row * k + i] * (float)b[i * n + column];
  c[row * n + column] = sum;
}
