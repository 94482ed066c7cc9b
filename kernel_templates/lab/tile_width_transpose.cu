/* warptune
[kernel]
name = "tile_width_transpose"
description = "transpose through square tiles of 16 or 32 columns in shared memory, with padded rows"
entry = "tile_width_transpose"
about = """
A block of TILE x TILE threads copies a tile to shared memory by rows and reads it by columns. Rows of the tile in
shared memory are TILE + PAD words apart.
"""

[problem]
N = { value = 8192, description = "rows and columns, a multiple of 32" }

[parameters]
TILE = { values = [16, 32], description = "rows and columns of a tile" }
PAD = { values = [0, 1, 2], description = "words between two rows of the tile" }

[default]
TILE = 16
PAD = 1

[launch]
grid = ["N / TILE", "N / TILE"]
block = ["TILE", "TILE"]

[[argument]]
name = "matrix"
kind = "in"
type = "f32"
count = "N * N"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }
[[argument]]
name = "transposed"
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
expression = "matrix[i % n * n + i / n]"
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "8 * N * N"
*/

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    tile_width_transpose(const float* __restrict__ matrix, float* __restrict__ transposed, int n) {
  __shared__ float tile[TILE][TILE + PAD];
  const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  tile[threadIdx.y][threadIdx.x] = matrix[(y + threadIdx.y) * n + x + threadIdx.x];
  __syncthreads();
  transposed[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
