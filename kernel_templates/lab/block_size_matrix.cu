/* warptune
[kernel]
name = "block_size_matrix"
description = "C = A B of square matrices, one element of C per thread, no tiles"
about = """
This is the matrix product of the first lesson: a thread walks along a row of A and a column of B. A block computes 32
columns of BLOCK / 32 rows. So larger blocks find more of B in L1.
"""
entry = "block_size_matrix"

[problem]
N = { value = 1024, description = "rows and columns, a multiple of 32" }

[parameters]
BLOCK = { values = [32, 64, 128, 256, 512, 1024], description = "threads per block" }

[default]
BLOCK = 256

[launch]
grid = ["N / 32", "N * 32 / BLOCK"]
block = ["32", "BLOCK / 32"]

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "N * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "f32"
count = "N * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "c"
kind = "out"
type = "f32"
count = "N * N"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# Let u = 2^-24. A running sum of N products uniform in [-1, 1] x [-1, 1] grows to sqrt(N) / 3. Each of N additions errs
# by 0.4 u of it. The errors add up like a random walk, to a standard deviation of 0.1 u N over all additions. The
# largest of a million sums is five times as large as most sums, and its error is five standard deviations. 3 u N covers
# both, and the 32 is for small N. The reference adds in double.
[check]
reference = "entry"
entry = "block_size_matrix_reference"
grid = ["N / 32", "N / 8"]
block = ["32", "8"]
absolute = "1.8e-7 * (N + 32)"
relative = 0.0

[work]
flops = "2 * N * N * N"
bytes = "12 * N * N"
*/

__global__ void __launch_bounds__(BLOCK)
    block_size_matrix(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                      int n) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum = fmaf(a[row * n + k], b[k * n + column], sum);
  c[row * n + column] = sum;
}

#ifdef WARPTUNE_REFERENCE
__global__ void block_size_matrix_reference(const float* a, const float* b, float* c, int n) {
  const int column = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  double sum = 0.0;
  for (int k = 0; k < n; ++k)
    sum += static_cast<double>(a[row * n + k]) * static_cast<double>(b[k * n + column]);
  c[row * n + column] = static_cast<float>(sum);
}
#endif
