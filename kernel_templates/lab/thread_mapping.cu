/* warptune
[kernel]
name = "thread_mapping"
description = "sum of two matrices, with threadIdx.x for the column or for the row"
entry = "thread_mapping"
about = """
The kernel adds two matrices that are stored row by row. With MAPPING = "column", `threadIdx.x` is the column, so the
threads of a warp have neighbouring elements. With "row" the two indices are swapped: the threads of a warp have
elements of different rows. A block has BLOCK_X * BLOCK_Y threads.
"""
defines.SWAPPED = 'MAPPING == "row"'

[problem]
N = { value = 4096, description = "rows and columns, a multiple of 256" }

[parameters]
MAPPING = { values = ["column", "row"], description = "what threadIdx.x is" }
BLOCK_X = { values = [16, 32, 256], description = "threads of a block in the direction of threadIdx.x" }
BLOCK_Y = { values = [1, 8, 16], description = "threads of a block in the direction of threadIdx.y" }

[constraints]
list = [
  { expression = "BLOCK_X * BLOCK_Y == 256", reason = "all blocks have 256 threads" },
]

[default]
MAPPING = "column"
BLOCK_X = 32
BLOCK_Y = 8

[launch]
grid = ["N / BLOCK_X", "N / BLOCK_Y"]
block = ["BLOCK_X", "BLOCK_Y"]

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "N * N"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }
[[argument]]
name = "b"
kind = "in"
type = "f32"
count = "N * N"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 2 }
[[argument]]
name = "sums"
kind = "out"
type = "f32"
count = "N * N"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "expression"
expression = "a[i] + b[i]"
absolute = 0.0
relative = 0.0

[work]
flops = "N * N"
bytes = "12 * N * N"
*/

extern "C" __global__ void __launch_bounds__(256)
    thread_mapping(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ sums,
                   int n) {
  const int along = blockIdx.x * BLOCK_X + threadIdx.x, across = blockIdx.y * BLOCK_Y + threadIdx.y;
#if SWAPPED
  const int i = along * n + across;
#else
  const int i = across * n + along;
#endif
  sums[i] = a[i] + b[i];
}
