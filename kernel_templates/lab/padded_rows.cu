/* warptune
[kernel]
name = "padded_rows"
description = "an image is doubled in place, row by row or column by column, with packed or padded rows"
entry = "padded_rows"
about = """
The image has `height` rows of `width` pixels. The distance from one row to the next is `pitch` pixels, and the pixels
beyond `width` are not used. With ORDER = "rows", the threads of a warp have neighbouring pixels of a row. With
"columns", they have neighbouring pixels of a column.
"""
defines.COLUMNS = 'ORDER == "columns"'

[problem]
width = { value = 4001, description = "pixels of a row" }
height = { value = 4096, description = "rows" }
pitch = { value = 4001, description = "pixels from one row to the next" }

[parameters]
ORDER = { values = ["rows", "columns"], description = "direction in which neighbouring threads have their pixels" }

[default]
ORDER = "rows"

[launch]
grid = [
  'ORDER == "rows" ? ceil_div(width, 256) : ceil_div(height, 256)', 'ORDER == "rows" ? height : width',
]
block = ["256"]

[[argument]]
name = "image"
kind = "inout"
type = "f32"
count = "height * pitch"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }
[[argument]]
name = "width"
kind = "scalar"
type = "i32"
value = "width"
[[argument]]
name = "height"
kind = "scalar"
type = "i32"
value = "height"
[[argument]]
name = "pitch"
kind = "scalar"
type = "i32"
value = "pitch"

[check]
reference = "entry"
entry = "padded_rows_reference"
grid = ["height"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "width * height"
bytes = "8 * width * height"
*/

extern "C" __global__ void __launch_bounds__(256)
    padded_rows(float* image, int width, int height, int pitch) {
#if COLUMNS
  const int column = blockIdx.y, row = blockIdx.x * 256 + threadIdx.x;
#else
  const int column = blockIdx.x * 256 + threadIdx.x, row = blockIdx.y;
#endif
  if (column < width && row < height) image[row * pitch + column] *= 2.0f;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void padded_rows_reference(float* image, int width, int, int pitch) {
  for (int column = threadIdx.x; column < width; column += 256) image[blockIdx.x * pitch + column] *= 2.0f;
}
#endif
