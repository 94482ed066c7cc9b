/* warptune
[kernel]
name = "cublas_gemm"
description = "C = A B by cuBLAS, for comparison"
about = """
One call of cuBLAS computes the product of two row-major matrices. With MATH = pedantic, single precision is computed in
single precision throughout. With MATH = default, the library chooses. For bfloat16 it chooses tensor cores with sums in
single precision. The time is the GPU's, as for kernels, so that it does not contain the call on the host.
"""
defines = { IS_BF16 = 'dtype == "bf16"' }

[problem]
M = { value = 2048, description = "rows of A and C" }
N = { value = 2048, description = "columns of B and C" }
K = { value = 2048, description = "columns of A, rows of B" }
dtype = { value = "f32", description = "type of the elements" }

[problem_values]
dtype = ["f32", "bf16"]

[parameters]
MATH = { values = ["pedantic", "default"], description = "what cuBLAS may do to be faster" }

[constraints]
list = [
  { expression = "M % 8 == 0", reason = "the reference computes whole groups of eight rows" },
]

[default]
MATH = "default"

[host]
timed = "gpu"

[[host.loop]]
[[host.loop.step]]
call = "cublas_gemm"
with = { a = "a", b = "b", c = "c", m = "M", n = "N", k = "K", math = "MATH" }

[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "M * K"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "dtype"
count = "K * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "c"
kind = "out"
type = "dtype"
count = "M * N"

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

# f32: an element is a sum of K products of variance 1/9, as in the shipped `sgemm`. bf16: C's own rounding and the
# reference's are 2^-8 together. Near zero, tensor cores cut off 1e-8 K^1.5 in their additions. The tolerance is twice
# that.
[check]
reference = "entry"
entry = "cublas_gemm_reference"
grid = ["ceil_div(N, 32)", "M / 8"]
block = ["32", "8"]
absolute = 'dtype == "f32" ? 3e-7 * (K + 16) : 2e-8 * K * sqrt(K) + 1e-5'
relative = 'dtype == "f32" ? 1e-6 : 0.008'

[work]
flops = "2 * M * N * K"
bytes = "sizeof(dtype) * (M * K + K * N + M * N)"
*/
#if IS_BF16
#include <cuda_bf16.h>
#endif

#ifdef WARPTUNE_REFERENCE
__global__ void cublas_gemm_reference(const dtype* a, const dtype* b, dtype* c, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  if (column >= n) return;
  double sum = 0.0;
  for (int i = 0; i < k; ++i) {
    sum += static_cast<double>(static_cast<float>(a[row * k + i])) * static_cast<float>(b[i * n + column]);
  }
  c[row * n + column] = static_cast<dtype>(static_cast<float>(sum));
}
#endif
