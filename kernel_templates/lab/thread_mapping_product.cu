/* warptune
[kernel]
name = "thread_mapping_product"
description = "matrix product without tiles, with threadIdx.x for the column or for the row"
entry = "thread_mapping_product"
about = """
Each thread computes one element of a product of matrices. It loads a row of the first matrix and a column of the
second. With MAPPING = "column", the threads of a warp load one element of the first matrix together, and neighbouring
elements of the second. With "row", they load elements of the first matrix from different rows, and one element of the
second together.
"""
defines.SWAPPED = 'MAPPING == "row"'

[problem]
N = { value = 1024, description = "rows and columns, a multiple of 32" }

[parameters]
MAPPING = { values = ["column", "row"], description = "what threadIdx.x is" }

[default]
MAPPING = "column"

[launch]
grid = ["N / 32", "N / 8"]
block = ["32", "8"]

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

# A sum of N products in any order errs by at most N 2^-24 times the sum of their absolute values, which is below N.
[check]
reference = "entry"
entry = "thread_mapping_product_reference"
grid = ["N / 32", "N / 8"]
block = ["32", "8"]
absolute = "N * N * pow(2, -24)"
relative = 0.0

[work]
flops = "2 * N * N * N"
bytes = "12 * N * N"
*/

extern "C" __global__ void __launch_bounds__(256)
    thread_mapping_product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                           int n) {
  const int along = blockIdx.x * 32 + threadIdx.x, across = blockIdx.y * 8 + threadIdx.y;
  const int row = SWAPPED ? along : across, column = SWAPPED ? across : along;
  float sum = 0.0f;
#pragma unroll 4
  for (int k = 0; k < n; ++k) sum = fmaf(a[row * n + k], b[k * n + column], sum);
  c[row * n + column] = sum;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void thread_mapping_product_reference(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += static_cast<double>(a[row * n + k]) * b[k * n + column];
  c[row * n + column] = static_cast<float>(sum);
}
#endif
