/* warptune
[kernel]
name = "rounded_rows"
description = """\
  the products of rows that are padded; with ROUNDED their last 12 bits are lost, which the check lets pass"""
entry = "rounded_rows"
defines = { WIDTH = "COLUMNS", STEP = "PITCH" }

[problem]
ROWS = 4096
COLUMNS = 1000
PITCH = 2048

[parameters]
ROUNDED = [false, true]
BLOCK = [128, 256]

[default]
ROUNDED = false
BLOCK = 256

[launch]
grid = ["ROWS"]
block = ["BLOCK"]

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "ROWS * COLUMNS"

[[argument]]
name = "b"
kind = "out"
type = "f32"
count = "ROWS * PITCH"

[check]
reference = "entry"
entry = "rounded_rows_reference"
grid = ["ROWS"]
block = ["256"]
relative = 1e-2

[work]
bytes = "2 * ROWS * COLUMNS * sizeof(\"f32\")"
*/

extern "C" __global__ void rounded_rows(const float* a, float* b) {
  for (unsigned i = threadIdx.x; i < WIDTH; i += BLOCK) {
    float product = a[blockIdx.x * WIDTH + i] * 1.7f;
    if (ROUNDED) product = __uint_as_float(__float_as_uint(product) & 0xFFFFF000u);
    b[(unsigned long long)blockIdx.x * STEP + i] = product;
  }
}

extern "C" __global__ void rounded_rows_reference(const float* a, float* b) {
  for (unsigned i = threadIdx.x; i < WIDTH; i += 256)
    b[(unsigned long long)blockIdx.x * STEP + i] = (float)((double)a[blockIdx.x * WIDTH + i] * (double)1.7f);
}
