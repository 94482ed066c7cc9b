/* warptune
[kernel]
name = "coarsening"
description = "a 9 x 9 filter over an image, in which a thread computes COARSENING pixels of a column"
about = """
Each pixel of the result is a weighted sum of 81 pixels around it (the image has a border of 4). A thread that computes
one pixel loads 81. Neighbouring results share most of their inputs: a thread that computes COARSENING pixels of a
column loads 9 (COARSENING + 8) pixels. It keeps what several results need in registers. In exchange there are fewer
threads, and each of them takes longer.
"""
entry = "coarsening"

[problem]
WIDTH = { value = 4096, description = "pixels of a row, a multiple of 256" }
HEIGHT = { value = 4096, description = "rows, a multiple of 32" }

[parameters]
COARSENING = { values = [1, 2, 4, 8, 16], description = "pixels that a thread computes" }
BLOCK = { values = [64, 128, 256], description = "threads per block; they are side by side in a row" }

[default]
COARSENING = 1
BLOCK = 256

[launch]
grid = ["WIDTH / BLOCK", "HEIGHT / COARSENING"]
block = ["BLOCK"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "(WIDTH + 8) * (HEIGHT + 8)"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "WIDTH * HEIGHT"

[[argument]]
name = "width"
kind = "scalar"
type = "i32"
value = "WIDTH"

# A result is a sum of up to 81 terms of one sign, each at most 7. Each addition is rounded with 2^-24 of the sum so
# far. The error is at most 81 x 6e-8 of 81 x 7 / 2. The reference adds in double.
[check]
reference = "entry"
entry = "coarsening_reference"
grid = ["WIDTH / 256", "HEIGHT"]
block = ["256"]
absolute = 0.0
relative = 5e-6

[work]
flops = "2 * 81 * WIDTH * HEIGHT"
bytes = "4 * ((WIDTH + 8) * (HEIGHT + 8) + WIDTH * HEIGHT)"
*/

// Weights without a symmetry that a compiler could use.
struct Weights {
  float of[9][9];
  __host__ __device__ constexpr Weights() : of() {
    for (int row = 0; row < 9; ++row) {
      for (int column = 0; column < 9; ++column)
        of[row][column] = 0.125f + 0.0625f * static_cast<float>((row * 29 + column * 17) % 97);
    }
  }
};
__constant__ constexpr Weights weights{};

__global__ void __launch_bounds__(BLOCK)
    coarsening(const float* __restrict__ in, float* __restrict__ out, int width) {
  const int x = static_cast<int>(blockIdx.x * BLOCK + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * COARSENING;
  const int pitch = width + 8;
  const float* from = in + y * pitch + x;
  float sums[COARSENING];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) sums[i] = 0.0f;
#pragma unroll
  for (int row = 0; row < COARSENING + 8; ++row) {
#pragma unroll
    for (int column = 0; column < 9; ++column) {
      const float pixel = from[row * pitch + column];
#pragma unroll
      for (int i = row - 8; i <= row; ++i) {
        if (i >= 0 && i < COARSENING) sums[i] = fmaf(pixel, weights.of[row - i][column], sums[i]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) out[(y + i) * width + x] = sums[i];
}

#ifdef WARPTUNE_REFERENCE
__global__ void coarsening_reference(const float* in, float* out, int width) {
  const int x = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  double sum = 0.0;
  for (int row = 0; row < 9; ++row) {
    for (int column = 0; column < 9; ++column) {
      sum += static_cast<double>(in[(y + row) * (width + 8) + x + column]) *
             static_cast<double>(weights.of[row][column]);
    }
  }
  out[y * width + x] = static_cast<float>(sum);
}
#endif
