/* warptune
[kernel]
name = "transpose_copy"
description = """\
  out = in, a matrix of M rows and N columns, by the tiles of a transpose: the time that a transpose should reach"""
about = """
A transpose is compared with this copy. The same blocks take the same tiles, but write them to the place that they were
read from. `plain` takes tiles of 32 x 32 and four rows per thread, `vectorised` takes tiles of 64 x 64 and four float4
per thread.
"""
entry = "copy_plain"

[problem]
M = { value = 8192, description = "rows" }
N = { value = 8192, description = "columns" }

[parameters]
BLOCK_ROWS = { values = [8], description = "rows of threads in a block, each of 32 threads" }

[constraints]
list = [
  { expression = "M % 64 == 0 && N % 64 == 0", reason = "only whole tiles are transposed" },
  { expression = "M * N < 2147483648", reason = "elements are numbered by 32-bit integers" },
]

[default]
VARIANT = "plain"
BLOCK_ROWS = 8

[launch]
grid = ['N / (VARIANT == "vectorised" ? 64 : 32)', 'M / (VARIANT == "vectorised" ? 64 : 32)']
block = ["32", "BLOCK_ROWS"]

[[variant]]
name = "plain"
entry = "copy_plain"
[[variant]]
name = "vectorised"
entry = "copy_vectorised"

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "M * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "M * N"

[[argument]]
name = "columns"
kind = "scalar"
type = "u32"
value = "N"

[check]
reference = "expression"
expression = "in[i]"
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "2 * M * N * 4"
*/

__global__ void copy_plain(const float* __restrict__ in, float* __restrict__ out, unsigned columns) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x;
  const unsigned y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (unsigned r = 0; r < 32; r += BLOCK_ROWS) out[(y + r) * columns + x] = in[(y + r) * columns + x];
}

__global__ void copy_vectorised(const float* __restrict__ in, float* __restrict__ out, unsigned columns) {
  const unsigned thread = threadIdx.y * 32 + threadIdx.x;
  const unsigned first = ((blockIdx.y * 64 + thread / 16) * columns + blockIdx.x * 64) / 4 + thread % 16;
#pragma unroll
  for (unsigned r = 0; r < 64; r += 2 * BLOCK_ROWS) {
    const unsigned i = first + r * (columns / 4);
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  }
}
