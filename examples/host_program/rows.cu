/* warptune
[kernel]
name = "rows"
description = "rows of a matrix on the host, each divided by its length, by the GPU and back"
about = """
A program of several steps: pieces of the matrix are copied to the GPU, one kernel computes the length of each row,
another divides by it, and the result is copied back. How many pieces there are and on how many streams is tuned along
with the kernels.
"""

[problem]
ROWS = { value = 16384, description = "rows" }
COLUMNS = { value = 1024, description = "elements a row" }

[parameters]
PIECES.values = [1, 2, 4, 8, 16, 32]
PIECES.description = "parts of the matrix that are copied and computed on their own"
STREAMS = { values = [1, 2, 3, 4], description = "streams that they take in turn" }
SUBMIT = { values = ["stream", "graph"], description = "each step by itself, or all as a CUDA graph" }
BLOCK = { values = [64, 128, 256, 512], description = "threads a block of both kernels" }

[constraints]
list = [{ expression = "STREAMS <= PIECES", reason = "a stream without a piece does nothing" }]

[default]
PIECES = 1
STREAMS = 1
SUBMIT = "stream"
BLOCK = 256

[host]
streams = "STREAMS"
graph = 'SUBMIT == "graph"'

[[host.loop]]
times = "PIECES"
stream = "k % STREAMS"
when = "k * ceil_div(ROWS, PIECES) < ROWS"

[[host.loop.step]]
copy.from = "matrix_host"
copy.to = "matrix"
copy.offset = "k * ceil_div(ROWS, PIECES) * COLUMNS"
copy.count = "min(ceil_div(ROWS, PIECES), ROWS - k * ceil_div(ROWS, PIECES)) * COLUMNS"

[[host.loop.step]]
launch = "row_lengths"
grid = ["min(ceil_div(ROWS, PIECES), ROWS - k * ceil_div(ROWS, PIECES))"]
block = ["BLOCK"]
arguments = [
  { name = "matrix", offset = "k * ceil_div(ROWS, PIECES) * COLUMNS" },
  { name = "lengths", offset = "k * ceil_div(ROWS, PIECES)" },
  "columns",
]

[[host.loop.step]]
launch = "divide_rows"
grid = ["min(ceil_div(ROWS, PIECES), ROWS - k * ceil_div(ROWS, PIECES))"]
block = ["BLOCK"]
arguments = [
  { name = "matrix", offset = "k * ceil_div(ROWS, PIECES) * COLUMNS" },
  { name = "lengths", offset = "k * ceil_div(ROWS, PIECES)" },
  "columns",
]

[[host.loop.step]]
copy.from = "matrix"
copy.to = "result_host"
copy.offset = "k * ceil_div(ROWS, PIECES) * COLUMNS"
copy.count = "min(ceil_div(ROWS, PIECES), ROWS - k * ceil_div(ROWS, PIECES)) * COLUMNS"

[[argument]]
name = "matrix_host"
kind = "in"
type = "f32"
count = "ROWS * COLUMNS"
memory = "pinned"

[[argument]]
name = "result_host"
kind = "out"
type = "f32"
count = "ROWS * COLUMNS"
memory = "pinned"

[[argument]]
name = "matrix"
kind = "scratch"
type = "f32"
count = "ROWS * COLUMNS"

[[argument]]
name = "lengths"
kind = "scratch"
type = "f32"
count = "ROWS"

[[argument]]
name = "columns"
kind = "scalar"
type = "i32"
value = "COLUMNS"

[check]
reference = "entry"
entry = "rows_reference"
grid = ["ROWS"]
block = ["32"]
absolute = 0.0
relative = 1e-5

[work]
bytes = "2 * ROWS * COLUMNS * sizeof('f32')"
*/

// A block for each row.
extern "C" __global__ void __launch_bounds__(BLOCK)
    row_lengths(const float* matrix, float* lengths, int columns) {
  __shared__ float parts[BLOCK];
  const float* row = matrix + static_cast<long long>(blockIdx.x) * columns;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += BLOCK) sum += row[i] * row[i];
  parts[threadIdx.x] = sum;
  for (int width = BLOCK / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) parts[threadIdx.x] += parts[threadIdx.x + width];
  }
  if (threadIdx.x == 0) lengths[blockIdx.x] = sqrtf(parts[0]);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    divide_rows(float* matrix, const float* lengths, int columns) {
  float* row = matrix + static_cast<long long>(blockIdx.x) * columns;
  const float length = lengths[blockIdx.x];
  for (int i = threadIdx.x; i < columns; i += BLOCK) row[i] /= length;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void rows_reference(const float* matrix, float* result, float*, float*, int columns) {
  const long long start = static_cast<long long>(blockIdx.x) * columns;
  double sum = 0.0;
  for (int i = 0; i < columns; ++i) sum += static_cast<double>(matrix[start + i]) * matrix[start + i];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    result[start + i] = static_cast<float>(matrix[start + i] / sqrt(sum));
}
#endif
