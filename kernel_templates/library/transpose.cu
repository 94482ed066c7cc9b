/* warptune
[kernel]
name = "transpose"
description = "out = in^T, in of M rows and N columns"
entry = "transpose"
defines = { ELEMENT_BYTES = "sizeof(dtype)", USE_SHARED = 'LAYOUT != "direct"', PADDED = 'LAYOUT == "padded"', SWIZZLED = 'LAYOUT == "swizzled"', ORDER_COLUMN = 'ORDER == "column"', ORDER_DIAGONAL = 'ORDER == "diagonal"', ORDER_GROUPED = 'ORDER == "grouped"', STREAM_LOADS = 'STREAM == "both"', STREAM_STORES = 'STREAM != "none"' }

[problem]
M = 8192
N = 8192
dtype = "f32"

[problem_values]
dtype = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]

[parameters]
TILE_X = { values = [16, 32, 64, 128], description = "columns of a block's tile of the input" }
TILE_Y = { values = [16, 32, 64, 128], description = "rows of a block's tile of the input" }
BLOCK = { values = [64, 128, 256, 512, 1024], description = "threads a block" }
VECTOR = { values = [1, 2, 4], description = "elements a load and a store; a thread turns VECTOR x VECTOR elements in registers" }
LAYOUT = { values = ["padded", "swizzled", "plain", "direct"], description = "the tile in shared memory: padded rows, exclusive-or of row and column, neither (bank conflicts), or no shared memory" }
ORDER = { values = ["row", "column", "diagonal", "grouped"], description = "the order in which blocks take tiles" }
STREAM = { values = ["none", "store", "both"], description = "accesses that are marked as used once" }

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest access is 16 bytes" },
  { expression = "(TILE_X * TILE_Y) % (VECTOR * VECTOR * BLOCK) == 0", reason = "every thread turns the same number of squares" },
  { expression = "TILE_X * TILE_Y * sizeof(dtype) <= 256 * BLOCK", reason = "a thread holds at most 64 registers of data" },
  { expression = "TILE_X * TILE_Y <= VECTOR * min(8192, 32 * BLOCK)", reason = "more words a thread than 32, or than 8 in a block of 1024, spill" },
  { expression = "TILE_X * sizeof(dtype) >= 32 && TILE_Y * sizeof(dtype) >= 32 || sizeof(dtype) == 1", reason = "a row of a tile fills at least one sector of 32 bytes" },
  { expression = 'LAYOUT == "direct" || (TILE_X * TILE_Y + TILE_X * max(VECTOR, 4)) * sizeof(dtype) <= min(device_shared_bytes_per_block_optin, 65536)', reason = "the tile fits into shared memory, several times on an SM" },
  { expression = 'LAYOUT != "direct" || STREAM == "none"', reason = "without shared memory the caches have to join the scattered stores" },
]

[default]
TILE_X = 32
TILE_Y = 32
BLOCK = 256
VECTOR = 1
LAYOUT = "padded"
ORDER = "row"
STREAM = "none"

[launch]
grid = ["ceil_div(M, TILE_Y) * ceil_div(N, TILE_X)"]
block = ["BLOCK"]
shared_bytes = 'LAYOUT == "direct" ? 0 : (TILE_X * TILE_Y + (LAYOUT == "padded" ? TILE_X / VECTOR * max(VECTOR, 4 / sizeof(dtype)) : 0)) * sizeof(dtype)'

# From 0 to 100 and not from -1 to 1, so that small and unsigned integers differ from one another.
[[argument]]
name = "in"
kind = "in"
type = "dtype"
count = "M * N"
init = { kind = "uniform", low = 0.0, high = 100.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "dtype"
count = "M * N"

[[argument]]
name = "rows"
kind = "scalar"
type = "i64"
value = "M"

[[argument]]
name = "columns"
kind = "scalar"
type = "i64"
value = "N"

# Elements are copied as bits: no tolerance at all.
[check]
reference = "entry"
entry = "transpose_reference"
grid = ["ceil_div(M * N, 256)"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "2 * M * N * sizeof(dtype)"
*/

// Words of 1 to 16 bytes. Elements are moved as bits, so that only their size matters.
template <int bytes> struct WordOf;
template <> struct WordOf<1> { using Type = unsigned char; };
template <> struct WordOf<2> { using Type = unsigned short; };
template <> struct WordOf<4> { using Type = unsigned int; };
template <> struct WordOf<8> { using Type = uint2; };
template <> struct WordOf<16> { using Type = uint4; };
using Element = WordOf<ELEMENT_BYTES>::Type;
using Word = WordOf<VECTOR * ELEMENT_BYTES>::Type;

union Pack {
  Word word;
  Element item[VECTOR];
};

// A tile is a grid of squares of VECTOR x VECTOR elements.
constexpr int kSquaresX = TILE_X / VECTOR;
constexpr int kSquaresY = TILE_Y / VECTOR;
constexpr int kSquares = kSquaresX * kSquaresY / BLOCK;  // of one thread
#if ORDER_GROUPED
constexpr unsigned kGroup = 8;  // tile rows that are kept together
#endif

// Place of a word in the turned tile: `x` is a column of the input, `square_y` counts words along it. Threads of a warp write
// with `x` VECTOR apart and read with consecutive `square_y`; padding or swizzling by x / VECTOR spreads both over the banks.
__device__ __forceinline__ int place(int x, int square_y) {
#if PADDED
  constexpr int kPadWords = VECTOR * ELEMENT_BYTES >= 4 ? 1 : 4 / (VECTOR * ELEMENT_BYTES);  // at least one bank
  return x * kSquaresY + x / VECTOR * kPadWords + square_y;
#elif SWIZZLED
  return x * kSquaresY + (square_y ^ (x / VECTOR % kSquaresY));
#else
  return x * kSquaresY + square_y;
#endif
}

__device__ __forceinline__ Word load(const Element* source) {
  const Word* word = reinterpret_cast<const Word*>(source);
#if STREAM_LOADS
  return __ldcs(word);
#else
  return __ldg(word);
#endif
}

__device__ __forceinline__ void store(Element* target, Word word) {
#if STREAM_STORES
  __stcs(reinterpret_cast<Word*>(target), word);
#else
  *reinterpret_cast<Word*>(target) = word;
#endif
}

// Writes a word along a row of the output; `y` counts along that row, of `rows` elements.
__device__ __forceinline__ void write(Element* out, long long rows, long long columns, long long x, long long y,
                                      const Pack& pack, bool unchecked) {
  if (unchecked) {
    store(out + x * rows + y, pack.word);
  } else if (x < columns) {
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      if (y + j < rows) out[x * rows + y + j] = pack.item[j];
    }
  }
}

__global__ void __launch_bounds__(BLOCK)
    transpose(const Element* __restrict__ in, Element* __restrict__ out, long long rows, long long columns) {
#if ORDER_COLUMN
  const unsigned tiles_y = static_cast<unsigned>((rows + TILE_Y - 1) / TILE_Y);
  const unsigned tile_x = blockIdx.x / tiles_y;
  const unsigned tile_y = blockIdx.x % tiles_y;
#elif ORDER_DIAGONAL
  const unsigned tiles_x = static_cast<unsigned>((columns + TILE_X - 1) / TILE_X);
  const unsigned tile_y = blockIdx.x / tiles_x;
  const unsigned tile_x = (blockIdx.x % tiles_x + tile_y % tiles_x) % tiles_x;
#elif ORDER_GROUPED
  const unsigned tiles_x = static_cast<unsigned>((columns + TILE_X - 1) / TILE_X);
  const unsigned tiles_y = static_cast<unsigned>((rows + TILE_Y - 1) / TILE_Y);
  const unsigned group = blockIdx.x / (kGroup * tiles_x);
  const unsigned in_group = blockIdx.x % (kGroup * tiles_x);
  const unsigned left = tiles_y - group * kGroup;
  const unsigned height = left < kGroup ? left : kGroup;
  const unsigned tile_y = group * kGroup + in_group % height;
  const unsigned tile_x = in_group / height;
#else
  const unsigned tiles_x = static_cast<unsigned>((columns + TILE_X - 1) / TILE_X);
  const unsigned tile_y = blockIdx.x / tiles_x;
  const unsigned tile_x = blockIdx.x % tiles_x;
#endif
  const long long x0 = static_cast<long long>(tile_x) * TILE_X;
  const long long y0 = static_cast<long long>(tile_y) * TILE_Y;
  const int thread = static_cast<int>(threadIdx.x);

  // Rows of a length that VECTOR does not divide start unaligned: such problems go element by element, as do edge tiles.
  const bool inside = x0 + TILE_X <= columns && y0 + TILE_Y <= rows;
  const bool read_words = inside && columns % VECTOR == 0 && reinterpret_cast<size_t>(in) % sizeof(Word) == 0;
  const bool write_words = inside && rows % VECTOR == 0 && reinterpret_cast<size_t>(out) % sizeof(Word) == 0;

  Pack square[kSquares][VECTOR];
  if (read_words) {
#pragma unroll
    for (int i = 0; i < kSquares; ++i) {
      const int index = thread + i * BLOCK;
      const Element* source = in + (y0 + index / kSquaresX * VECTOR) * columns + x0 + index % kSquaresX * VECTOR;
#pragma unroll
      for (int r = 0; r < VECTOR; ++r) square[i][r].word = load(source + r * columns);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kSquares; ++i) {
      const int index = thread + i * BLOCK;
      const long long x = x0 + index % kSquaresX * VECTOR;
      const long long y = y0 + index / kSquaresX * VECTOR;
#pragma unroll
      for (int r = 0; r < VECTOR; ++r) {
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) {
          square[i][r].item[j] = y + r < rows && x + j < columns ? in[(y + r) * columns + x + j] : Element();
        }
      }
    }
  }

#if USE_SHARED
  extern __shared__ Word tile[];
#endif
#pragma unroll
  for (int i = 0; i < kSquares; ++i) {
    const int index = thread + i * BLOCK;
    const int x = index % kSquaresX * VECTOR;
    const int square_y = index / kSquaresX;
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      Pack turned;
#pragma unroll
      for (int r = 0; r < VECTOR; ++r) turned.item[r] = square[i][r].item[j];
#if USE_SHARED
      tile[place(x + j, square_y)] = turned.word;
#else
      write(out, rows, columns, x0 + x + j, y0 + square_y * VECTOR, turned, write_words);
#endif
    }
  }
#if USE_SHARED
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSquares * VECTOR; ++i) {
    const int index = thread + i * BLOCK;
    const int x = index / kSquaresY;
    const int square_y = index % kSquaresY;
    Pack turned;
    turned.word = tile[place(x, square_y)];
    write(out, rows, columns, x0 + x, y0 + square_y * VECTOR, turned, write_words);
  }
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void transpose_reference(const Element* in, Element* out, long long rows, long long columns) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[i % columns * rows + i / columns] = in[i];
}
#endif
