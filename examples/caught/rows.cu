/* warptune
[kernel]
name = "caught_rows"
description = "sums of a matrix's rows; the textbook gives each thread a row, so that it reads consecutive elements"
entry = "row_sums"

[problem]
ROWS = { value = 262144, description = "rows" }
COLUMNS = { value = 256, description = "elements of a row" }

[parameters]
TEXTBOOK = { values = [true, false], description = "a thread for each row, or a warp for each row" }

[default]
TEXTBOOK = true

[launch]
grid = ["TEXTBOOK ? ceil_div(ROWS, 256) : ceil_div(ROWS, 8)"]
block = ["256"]

[[argument]]
name = "matrix"
kind = "in"
type = "f32"
count = "ROWS * COLUMNS"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "sums"
kind = "out"
type = "f32"
count = "ROWS"

[[argument]]
name = "rows"
kind = "scalar"
type = "i32"
value = "ROWS"

[[argument]]
name = "columns"
kind = "scalar"
type = "i32"
value = "COLUMNS"

[check]
reference = "entry"
entry = "row_sums_reference"
grid = ["ceil_div(ROWS, 256)"]
block = ["256"]
absolute = 0.0
relative = 1e-4

[work]
bytes = "4 * ROWS * COLUMNS"
*/

extern "C" __global__ void row_sums(const float* matrix, float* sums, int rows, int columns) {
#if TEXTBOOK
  // Neighbouring threads read elements that are a whole row apart: each load of a warp touches 32 sectors.
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column)
    sum += matrix[static_cast<long long>(row) * columns + column];
  sums[row] = sum;
#else
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int column = threadIdx.x % 32; column < columns; column += 32)
    sum += matrix[static_cast<long long>(row) * columns + column];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) sums[row] = sum;
#endif
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void row_sums_reference(const float* matrix, float* sums, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0.0;
  for (int column = 0; column < columns; ++column)
    sum += matrix[static_cast<long long>(row) * columns + column];
  sums[row] = static_cast<float>(sum);
}
#endif
