/* warptune
[kernel]
name = "texture"
description = "a matrix read by the texture units, as one row and as rows"
entry = "shifted"

[problem]
ROWS = 50
COLUMNS = 100
PITCH = 112

[parameters]
HEIGHT = [50, 25]

[default]
HEIGHT = 50

[launch]
grid = ["ceil_div(ROWS * COLUMNS, 128)"]
block = ["128"]

[[argument]]
name = "matrix"
kind = "in"
type = "f32"
count = "ROWS * PITCH"

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "3 * ROWS * COLUMNS"

[[argument]]
name = "line"
kind = "texture"
of = "matrix"

[[argument]]
name = "clamped"
kind = "texture"
of = "matrix"
width = "COLUMNS"
height = "HEIGHT"
pitch = "PITCH"

[[argument]]
name = "bordered"
kind = "texture"
of = "matrix"
width = "COLUMNS"
height = "ROWS"
pitch = "PITCH"
filter = "linear"
address = "border"

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

[[argument]]
name = "pitch"
kind = "scalar"
type = "i32"
value = "PITCH"

[check]
reference = "entry"
entry = "shifted_reference"
grid = ["ceil_div(ROWS * COLUMNS, 128)"]
block = ["128"]
absolute = 0.01
*/

// Writes three values for each element of the whole matrix, of which `clamped` may have fewer rows.
// 1. The element.
// 2. Its right neighbour. In the last column it is the element itself.
// 3. The mean of the element and its left neighbour, which is zero for the first column.
// The filter's weights have 8 bits of fraction (CUDA C++ Programming Guide, "Linear Filtering").
__global__ void shifted(const float*, float* out, cudaTextureObject_t line, cudaTextureObject_t clamped,
                        cudaTextureObject_t bordered, int rows, int columns, int pitch) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= rows * columns) return;
  const int row = i / columns;
  const int column = i % columns;
  out[3 * i] = tex1Dfetch<float>(line, row * pitch + column);
  out[3 * i + 1] = tex2D<float>(clamped, column + 1.5f, row + 0.5f);
  out[3 * i + 2] = tex2D<float>(bordered, column, row + 0.5f);
}

#ifdef WARPTUNE_REFERENCE
__global__ void shifted_reference(const float* matrix, float* out, unsigned long long, unsigned long long,
                                  unsigned long long, int rows, int columns, int pitch) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= rows * columns) return;
  const int row = i / columns;
  const int column = i % columns;
  const float* line = matrix + row * pitch;
  out[3 * i] = line[column];
  out[3 * i + 1] = line[column + 1 < columns ? column + 1 : column];
  out[3 * i + 2] = 0.5f * (line[column] + (column > 0 ? line[column - 1] : 0.0f));
}
#endif
