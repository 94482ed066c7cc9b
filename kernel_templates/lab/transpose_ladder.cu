/* warptune
[kernel]
name = "transpose_ladder"
description = "out = in^T, in of M rows and N columns, from the naive loop to vectors"
about = """
These are the steps in which a matrix transpose is usually improved, one kernel for each. A block has 32 x 8 threads and
takes a tile of 32 x 32 elements, four rows per thread:

- `naive`: it reads rows and writes columns. The 32 stores of a warp go to 32 rows of the output.
- `naive_gather`: the same with the roles exchanged: loads are scattered, stores are coalesced.
- `tiled`: the tile goes through shared memory, so that rows are read and rows are written. Each of its columns lies in
  one bank.
- `padded`: rows of the tile are 33 words long, so that a column lies in 32 banks.
- `swizzled`: the same without the padding: element (r, c) lies at column c xor r.
- `vectorised`: tiles of 64 x 64. A thread loads four float4, transposes the 4 x 4 square in its registers, and stores
  four float4. The tile in shared memory consists of float4, too, and is swizzled.
"""
entry = "transpose_naive"

[problem]
M = { value = 8192, description = "rows of the input" }
N = { value = 8192, description = "columns of the input" }

[parameters]
BLOCK_ROWS = { values = [8], description = "rows of threads in a block, each of 32 threads" }

[constraints]
list = [
  { expression = "M % 64 == 0 && N % 64 == 0", reason = "only whole tiles are transposed" },
  { expression = "M * N < 2147483648", reason = "elements are numbered by 32-bit integers" },
]

[default]
VARIANT = "naive"
BLOCK_ROWS = 8

[launch]
grid = ['N / (VARIANT == "vectorised" ? 64 : 32)', 'M / (VARIANT == "vectorised" ? 64 : 32)']
block = ["32", "BLOCK_ROWS"]

[[variant]]
name = "naive"
entry = "transpose_naive"
[[variant]]
name = "naive_gather"
entry = "transpose_naive_gather"
[[variant]]
name = "tiled"
entry = "transpose_tiled"
[[variant]]
name = "padded"
entry = "transpose_padded"
[[variant]]
name = "swizzled"
entry = "transpose_swizzled"
[[variant]]
name = "vectorised"
entry = "transpose_vectorised"

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "M * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "M * N"

[[argument]]
name = "rows"
kind = "scalar"
type = "u32"
value = "M"

[[argument]]
name = "columns"
kind = "scalar"
type = "u32"
value = "N"

# Elements are only moved, so there is no tolerance.
[check]
reference = "entry"
entry = "transpose_reference"
grid = ["M * N / 256"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "2 * M * N * 4"
*/

constexpr unsigned kTile = 32;

__global__ void transpose_naive(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                unsigned columns) {
  const unsigned x = blockIdx.x * kTile + threadIdx.x;
  const unsigned y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (unsigned r = 0; r < kTile; r += BLOCK_ROWS) out[x * rows + y + r] = in[(y + r) * columns + x];
}

__global__ void transpose_naive_gather(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                       unsigned columns) {
  const unsigned y = blockIdx.y * kTile + threadIdx.x;
  const unsigned x = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (unsigned r = 0; r < kTile; r += BLOCK_ROWS) out[(x + r) * rows + y] = in[y * columns + x + r];
}

// Rows of the input into the tile, its columns into rows of the output.
template <unsigned pitch, bool swizzled>
__device__ __forceinline__ void transpose_tile(const float* __restrict__ in, float* __restrict__ out,
                                               unsigned rows, unsigned columns) {
  __shared__ float tile[kTile * pitch];
  const unsigned x = blockIdx.x * kTile;
  const unsigned y = blockIdx.y * kTile;
  const unsigned lane = threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < kTile; i += BLOCK_ROWS) {
    const unsigned r = threadIdx.y + i;
    tile[r * pitch + (swizzled ? lane ^ r : lane)] = in[(y + r) * columns + x + lane];
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kTile; i += BLOCK_ROWS) {
    const unsigned r = threadIdx.y + i;
    out[(x + r) * rows + y + lane] = tile[lane * pitch + (swizzled ? lane ^ r : r)];
  }
}

__global__ void transpose_tiled(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                unsigned columns) {
  transpose_tile<kTile, false>(in, out, rows, columns);
}

__global__ void transpose_padded(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                 unsigned columns) {
  transpose_tile<kTile + 1, false>(in, out, rows, columns);
}

__global__ void transpose_swizzled(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                   unsigned columns) {
  transpose_tile<kTile, true>(in, out, rows, columns);
}

// The tile holds columns of the input: 64 lines of 16 float4. Lane by lane, stores go from line to line, four
// apart, and loads along a line; with the line's number / 4 in the place of a float4, both meet all banks.
__global__ void transpose_vectorised(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                     unsigned columns) {
  constexpr unsigned kWords = 16;
  __shared__ float4 tile[64 * kWords];
  const unsigned x = blockIdx.x * 64;
  const unsigned y = blockIdx.y * 64;
  const unsigned thread = threadIdx.y * 32 + threadIdx.x;
  const unsigned line = thread / kWords;
  const unsigned word = thread % kWords;

  const float4* source = reinterpret_cast<const float4*>(in + (y + line * 4) * columns + x) + word;
  const unsigned pitch_in = columns / 4;
  const float4 a = source[0], b = source[pitch_in], c = source[2 * pitch_in], d = source[3 * pitch_in];
  const unsigned place = line ^ word;
  tile[(word * 4 + 0) * kWords + place] = make_float4(a.x, b.x, c.x, d.x);
  tile[(word * 4 + 1) * kWords + place] = make_float4(a.y, b.y, c.y, d.y);
  tile[(word * 4 + 2) * kWords + place] = make_float4(a.z, b.z, c.z, d.z);
  tile[(word * 4 + 3) * kWords + place] = make_float4(a.w, b.w, c.w, d.w);
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < 64; i += 16) {
    const unsigned r = line + i;
    reinterpret_cast<float4*>(out + (x + r) * rows + y)[word] = tile[r * kWords + (word ^ r / 4)];
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void transpose_reference(const float* in, float* out, unsigned rows, unsigned columns) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  out[i % columns * rows + i / columns] = in[i];
}
#endif
