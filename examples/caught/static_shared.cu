/* warptune
[kernel]
name = "caught_static_shared"
description = "transposes tiles of 128 x 128; the textbook declares a tile of 64 KiB as static shared memory"
entry = "transpose_tiles"

[problem]
N = { value = 4096, description = "rows and columns" }

[parameters]
TEXTBOOK = { values = [true, false], description = "static shared memory, or the dynamic one of the launch" }

[default]
TEXTBOOK = false

[launch]
grid = ["N / 128", "N / 128"]
block = ["128", "8"]
shared_bytes = "TEXTBOOK ? 0 : 128 * 129 * 4"

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N * N"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N * N"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "entry"
entry = "transpose_reference"
grid = ["N / 32", "N / 8"]
block = ["32", "8"]
absolute = 0.0
relative = 0.0

[work]
bytes = "8 * N * N"
*/

extern "C" __global__ void transpose_tiles(const float* in, float* out, int n) {
#if TEXTBOOK
  __shared__ float tile[128][129];  // Static shared memory of a block is limited to 48 KiB on every GPU.
#else
  extern __shared__ float dynamic[];
  float(*tile)[129] = reinterpret_cast<float(*)[129]>(dynamic);
#endif
  const int x = blockIdx.x * 128, y = blockIdx.y * 128;
  for (int row = threadIdx.y; row < 128; row += 8)
    tile[row][threadIdx.x] = in[(y + row) * n + x + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < 128; row += 8)
    out[(x + row) * n + y + threadIdx.x] = tile[threadIdx.x][row];
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void transpose_reference(const float* in, float* out, int n) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  out[column * n + row] = in[row * n + column];
}
#endif
