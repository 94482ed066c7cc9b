/* warptune
[kernel]
name = "tile_width"
description = "matrix product with square tiles of 8, 16 or 32 columns in shared memory"
entry = "tile_width"
about = """
A block of TILE x TILE threads computes as many elements of C = A B. It goes through A and B in tiles, which it copies
to shared memory. So each element of A and B is loaded N / TILE times.
"""

[problem]
N = { value = 1024, description = "rows and columns, a multiple of 32" }

[parameters]
TILE = { values = [8, 16, 32], description = "rows and columns of a tile" }

[default]
TILE = 16

[launch]
grid = ["N / TILE", "N / TILE"]
block = ["TILE", "TILE"]

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
entry = "tile_width_reference"
grid = ["N / 32", "N / 8"]
block = ["32", "8"]
absolute = "N * N * pow(2, -24)"
relative = 0.0

[work]
flops = "2 * N * N * N"
bytes = "12 * N * N"
*/

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    tile_width(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  const int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum = fmaf(tile_a[threadIdx.y][k], tile_b[k][threadIdx.x], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void tile_width_reference(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += static_cast<double>(a[row * n + k]) * b[k * n + column];
  c[row * n + column] = static_cast<float>(sum);
}
#endif
