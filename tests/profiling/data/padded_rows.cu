/* warptune
[kernel]
name = "padded_rows"
description = "rows with padding between them; with FAULT the padding is written or read"
entry = "twice"
defines = { WIDTH = "COLUMNS", PITCH = "COLUMNS + PAD", SUM_PITCH = "COLUMNS + 2 * PAD" }

[problem]
ROWS = 50
COLUMNS = 300

[parameters]
PAD = [0, 1, 20]
FAULT = [0, 1, 2, 3]

[default]
PAD = 1
FAULT = 0

[launch]
grid = ["ROWS"]
block = ["128"]

[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "ROWS * COLUMNS"
width = "COLUMNS"
pitch = "COLUMNS + PAD"

[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "ROWS * COLUMNS"
width = "COLUMNS"
pitch = "COLUMNS + PAD"

[[argument]]
name = "sum"
kind = "inout"
type = "f32"
count = "ROWS * COLUMNS"
width = "COLUMNS"
pitch = "COLUMNS + 2 * PAD"

[check]
reference = "entry"
entry = "twice_reference"
grid = ["ROWS"]
block = ["1"]
absolute = 0.0

[work]
bytes = "16 * ROWS * COLUMNS"
*/

extern "C" __global__ void twice(const float* x, float* y, float* sum) {
  const int row = blockIdx.x;
  // FAULT 1 writes one element of padding, and 3 copies one.
  const int written = WIDTH + (FAULT == 1 || FAULT == 3);
  for (int i = threadIdx.x; i < written; i += blockDim.x) {
    const float value = x[row * PITCH + i];
    y[row * PITCH + i] = FAULT == 1 && i == WIDTH ? 1.0f : i == WIDTH ? value : 2.0f * value;
    if (i < WIDTH) sum[row * SUM_PITCH + i] += value;
  }
  // FAULT 2 uses the padding of the input.
  if (FAULT == 2 && threadIdx.x == 0) sum[row * SUM_PITCH] += 0.0f * x[row * PITCH + WIDTH];
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void twice_reference(const float* x, float* y, float* sum) {
  for (int i = 0; i < WIDTH; ++i) {
    y[blockIdx.x * PITCH + i] = 2.0f * x[blockIdx.x * PITCH + i];
    sum[blockIdx.x * SUM_PITCH + i] += x[blockIdx.x * PITCH + i];
  }
}
#endif
