/* warptune
[kernel]
name = "transpose"
description = "out = in^T, where in has M rows and N columns"
vendor = "cublas<t>geam with alpha = 1 and beta = 0 (4- and 8-byte types); a copy of the matrix is the bound"
about = """
Elements are moved as bits, so only their size matters: 1, 2, 4 or 8 bytes. A block moves a tile of `TILE_X` columns
and `TILE_Y` rows through shared memory, so that accesses to global memory are coalesced on both sides. A thread moves
squares of `VECTOR x VECTOR` elements. It loads VECTOR vectors, transposes the square in registers (1- and 2-byte
elements with byte permutations) and stores VECTOR vectors. So narrow types, too, use accesses of 4 to 16 bytes on
both sides.

The parameters choose the tile, the block, the width of an access and cache hints. `SHARED_LAYOUT` chooses how shared
memory avoids bank conflicts: by padding, by an exclusive-or of row and column, not at all, or without shared memory.
`LOAD` chooses how the tile reaches shared memory. If it goes through registers, it is transposed before it is stored
to shared memory. With asynchronous copies, it is transposed when it is read from shared memory. `TILE_ORDER` and
`GROUP_SIZE_Y` choose the order in which blocks take tiles.

If VECTOR does not divide the length of a matrix's rows, vectors are not aligned. Narrow types are then read as aligned
words of 4 bytes that are shifted into place, and written as aligned words of 16 bytes. The last tiles of a row and of a
column overlap those before them, so that they are whole. Wider types are moved element by element. Tune such shapes
separately.
Device memory limits the kernel, so it cannot be faster than a copy.
"""
entry = "transpose"
recommended = "transpose.recommended.toml"
defines.ELEMENT_BYTES = "sizeof(dtype)"
defines.USE_SHARED = 'SHARED_LAYOUT != "none"'
defines.PADDED = 'SHARED_LAYOUT == "padded"'
defines.SWIZZLED = 'SHARED_LAYOUT == "swizzled"'
defines.ORDER_COLUMN = 'TILE_ORDER == "column_major"'
defines.ORDER_DIAGONAL = 'TILE_ORDER == "diagonal"'
defines.ORDER_GROUPED = 'TILE_ORDER == "grouped"'
defines.LOAD_ASYNC = 'LOAD == "async"'
defines.RAGGED = """\
  sizeof(dtype) < 4 && SHARED_LAYOUT != "none" && (M % VECTOR != 0 || N % VECTOR != 0)"""
hints = ["RAGGED"]

[problem]
M = { value = 8192, description = "rows of the input" }
N = { value = 8192, description = "columns of the input" }
dtype = { value = "f32", description = "type of an element; only its size matters" }

[problem_values]
dtype = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]

[parameters]
TILE_X = { values = [16, 32, 64, 128, 256], description = "columns of the input in a block's tile" }
TILE_Y = { values = [16, 32, 64, 128, 256], description = "rows of the input in a block's tile" }
BLOCK = { values = [64, 128, 256, 512, 1024], description = "threads per block" }
VECTOR.values = [1, 2, 4, 8, 16]
VECTOR.description = "elements per load and per store; a thread transposes VECTOR x VECTOR elements in registers"
SHARED_LAYOUT.values = ["padded", "swizzled", "unpadded", "none"]
SHARED_LAYOUT.description = """\
  layout of the tile in shared memory: with padded rows, swizzled by an exclusive-or of row and column, without \
  either (bank conflicts), or no shared memory at all"""
LOAD.values = ["plain", "streaming", "async"]
LOAD.description = """\
  how elements are loaded: through registers without a hint, through registers with the hint that data is used once, \
  or by asynchronous copies to shared memory"""
STORE = { values = ["plain", "streaming"], description = "cache hint of stores" }
TILE_ORDER.values = ["row_major", "column_major", "diagonal", "grouped"]
TILE_ORDER.description = "the order in which blocks take tiles"
GROUP_SIZE_Y.values = [4, 8, 16]
GROUP_SIZE_Y.description = "rows of tiles whose blocks run at the same time"
GROUP_SIZE_Y.when = 'TILE_ORDER == "grouped"'
GROUP_SIZE_Y.otherwise = 8

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest access is 16 bytes" },
  { reason = "every thread transposes the same number of squares", expression = """\
      (TILE_X * TILE_Y) % (VECTOR * VECTOR * BLOCK) == 0""" },
  { reason = "a thread holds at most 64 registers of data", expression = """\
      TILE_X * TILE_Y * sizeof(dtype) <= 256 * BLOCK""" },
  { reason = """\
      more than 32 vectors per thread, or more than 8 in a block of 1024 threads, spill registers""", expression = """\
      TILE_X * TILE_Y <= VECTOR * min(8192, 32 * BLOCK)""" },
  { reason = "a row of a tile fills at least one sector of 32 bytes", expression = """\
      TILE_X * sizeof(dtype) >= 32 && TILE_Y * sizeof(dtype) >= 32""" },
  { reason = "longer rows gain nothing and make the tiles flat", expression = """\
      TILE_X * sizeof(dtype) <= 1024 && TILE_Y * sizeof(dtype) <= 1024""" },
  { reason = "the tile fits into shared memory, and several of them fit on an SM", expression = """\
      SHARED_LAYOUT == "none" || (TILE_X * TILE_Y + max(TILE_X, TILE_Y) * max(VECTOR, 4)) * sizeof(dtype) \
      <= min(device_shared_bytes_per_block_optin, 65536)""" },
  { reason = "without shared memory the caches have to combine the scattered stores", expression = """\
      SHARED_LAYOUT != "none" || LOAD == "plain" && STORE == "plain"""" },
  { reason = "asynchronous copies need compute capability 8.0", expression = """\
      LOAD != "async" || device_compute_capability >= 80""" },
  { reason = "an asynchronous copy has 4, 8 or 16 bytes", expression = """\
      LOAD != "async" || VECTOR * sizeof(dtype) >= 4""" },
]

[default]
TILE_X = 32
TILE_Y = 32
BLOCK = 256
VECTOR = 1
SHARED_LAYOUT = "padded"
LOAD = "plain"
STORE = "plain"
TILE_ORDER = "row_major"
GROUP_SIZE_Y = 8

[launch]
grid = ["ceil_div(M, TILE_Y) * ceil_div(N, TILE_X)"]
block = ["BLOCK"]
shared_bytes = """\
  SHARED_LAYOUT == "none" ? 0 : (TILE_X * TILE_Y \
  + (SHARED_LAYOUT == "padded" ? (LOAD == "async" ? TILE_Y : TILE_X) / VECTOR * max(VECTOR, 4 / sizeof(dtype)) : 0)) \
  * sizeof(dtype)"""

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

# Elements are copied as bits, so there is no tolerance.
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
#include "tile_order.cuh"
#include "transpose_tile.cuh"

// The block's tile, in the order that TILE_ORDER says.
__device__ __forceinline__ TilePosition tile_of_block(long long rows, long long columns) {
#if ORDER_COLUMN
  const unsigned tiles_y = tile_count(rows, TILE_Y);
  const unsigned tile_x = blockIdx.x / tiles_y;
  return {blockIdx.x % tiles_y, tile_x};
#elif ORDER_DIAGONAL
  const unsigned tiles_x = tile_count(columns, TILE_X);
  const unsigned tile_y = blockIdx.x / tiles_x;
  return {tile_y, (blockIdx.x % tiles_x + tile_y % tiles_x) % tiles_x};
#elif ORDER_GROUPED
  const unsigned tiles_x = tile_count(columns, TILE_X);
  return grouped_tile<GROUP_SIZE_Y>(blockIdx.x, tile_count(rows, TILE_Y), tiles_x);
#else
  const unsigned tiles_x = tile_count(columns, TILE_X);
  const unsigned tile_y = blockIdx.x / tiles_x;
  return {tile_y, blockIdx.x % tiles_x};
#endif
}

#if !LOAD_ASYNC
// Loads a thread's squares of a whole tile, whose rows are aligned.
__device__ __forceinline__ void load_squares(Pack (&squares)[kSquares][VECTOR], const Element* source,
                                             long long columns) {
#pragma unroll
  for (int i = 0; i < kSquares; ++i) {
    const int index = static_cast<int>(threadIdx.x) + i * BLOCK;
    const Element* from = source + index / kSquaresX * VECTOR * columns + index % kSquaresX * VECTOR;
#pragma unroll
    for (int r = 0; r < VECTOR; ++r)
      squares[i][r].word = load_word<LoadHint::LOAD>(word_at(from + r * columns));
  }
}
#endif

#if USE_SHARED
#if !LOAD_ASYNC
// Transposes square number `index` into the tile in shared memory.
__device__ __forceinline__ void store_transposed(Word* tile, const Pack (&square)[VECTOR], int index) {
  Pack transposed[VECTOR];
  transpose_square(square, transposed);
#pragma unroll
  for (int j = 0; j < VECTOR; ++j) {
    tile[place<kLineWords>(index % kSquaresX * VECTOR + j, index / kSquaresX)] = transposed[j].word;
  }
}
#endif

#if BY_PERMUTATION
// Brings a whole tile, whose rows are not aligned, to shared memory: elements narrower than 4 bytes.
__device__ __forceinline__ void read_shifted(Word* tile, const Element* source, long long columns) {
  constexpr int kAtOnce = kSquares * VECTOR <= 16 ? kSquares : 16 / VECTOR;  // squares under way
#pragma unroll 1
  for (int first = 0; first < kSquares; first += kAtOnce) {
    Pack squares[kAtOnce][VECTOR];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int index = static_cast<int>(threadIdx.x) + (first + i) * BLOCK;
      const Element* from = source + index / kSquaresX * VECTOR * columns + index % kSquaresX * VECTOR;
#pragma unroll
      for (int r = 0; r < VECTOR; ++r) squares[i][r].word = load_shifted(from + r * columns);
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int index = static_cast<int>(threadIdx.x) + (first + i) * BLOCK;
#if LOAD_ASYNC
#pragma unroll
      for (int r = 0; r < VECTOR; ++r) {
        tile[place<kLineWords>(index / kSquaresX * VECTOR + r, index % kSquaresX)] = squares[i][r].word;
      }
#else
      store_transposed(tile, squares[i], index);
#endif
    }
  }
}
#endif
#endif

__global__ void __launch_bounds__(BLOCK)
    transpose(const Element* __restrict__ in, Element* __restrict__ out, long long rows, long long columns) {
  const TilePosition position = tile_of_block(rows, columns);
#if RAGGED
  // Where tiles overlap, two blocks write the same elements.
  const long long x0 = last_tile_inside<TILE_X>(position.column, columns);
  const long long y0 = last_tile_inside<TILE_Y>(position.row, rows);
#else
  const long long x0 = static_cast<long long>(position.column) * TILE_X;
  const long long y0 = static_cast<long long>(position.row) * TILE_Y;
#endif
  const int thread = static_cast<int>(threadIdx.x);

  // Rows of a length that VECTOR does not divide are not aligned.
  const bool inside = x0 + TILE_X <= columns && y0 + TILE_Y <= rows;
  const bool read_words = inside && columns % VECTOR == 0 && reinterpret_cast<size_t>(in) % sizeof(Word) == 0;
  const bool write_words = inside && rows % VECTOR == 0 && reinterpret_cast<size_t>(out) % sizeof(Word) == 0;
  const int width = columns - x0 < TILE_X ? static_cast<int>(columns - x0) : TILE_X;
  const int height = rows - y0 < TILE_Y ? static_cast<int>(rows - y0) : TILE_Y;
  const Element* const source = in + y0 * columns + x0;
  Element* const target = out + x0 * rows + y0;

#if USE_SHARED
  extern __shared__ Word tile[];
  Element* const elements = reinterpret_cast<Element*>(tile);
  if (read_words) {
#if LOAD_ASYNC
#pragma unroll
    for (int i = 0; i < kSquares * VECTOR; ++i) {
      const int index = thread + i * BLOCK;
      const int y = index / kSquaresX;
      const int square_x = index % kSquaresX;
      begin_copy(tile + place<kLineWords>(y, square_x), word_at(source + y * columns + square_x * VECTOR));
    }
    commit_copies();
    wait_for_copies<0>();
#else
    Pack squares[kSquares][VECTOR];
    load_squares(squares, source, columns);
#pragma unroll
    for (int i = 0; i < kSquares; ++i) store_transposed(tile, squares[i], thread + i * BLOCK);
#endif
#if BY_PERMUTATION
#if RAGGED
  } else if (inside && (y0 + TILE_Y < rows || x0 + TILE_X + 3 < columns) &&
             (y0 > 0 || x0 > 0 || reinterpret_cast<size_t>(in) % 4 == 0)) {  // reads stay within the matrix
#else
  } else if (inside && y0 + TILE_Y < rows &&
             (y0 > 0 || reinterpret_cast<size_t>(in) % 4 == 0)) {  // reads stay within the matrix
#endif
    read_shifted(tile, source, columns);
#endif
  } else {
#pragma unroll 4
    for (int i = thread; i < TILE_X * TILE_Y; i += BLOCK) {
      const int x = i % TILE_X;
      const int y = i / TILE_X;
      if (x < width && y < height) elements[element_place(x, y)] = __ldg(source + y * columns + x);
    }
  }
  __syncthreads();
  if (write_words) {
#if LOAD_ASYNC
#pragma unroll
    for (int i = 0; i < kSquares; ++i) {
      const int index = thread + i * BLOCK;
      const int square_x = index / kSquaresY;
      const int square_y = index % kSquaresY;
      Pack square[VECTOR], transposed[VECTOR];
#pragma unroll
      for (int r = 0; r < VECTOR; ++r)
        square[r].word = tile[place<kLineWords>(square_y * VECTOR + r, square_x)];
      transpose_square(square, transposed);
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) {
        store(target + (square_x * VECTOR + j) * rows + square_y * VECTOR, transposed[j].word);
      }
    }
#else
#pragma unroll
    for (int i = 0; i < kSquares * VECTOR; ++i) {
      const int index = thread + i * BLOCK;
      const int x = index / kSquaresY;
      const int square_y = index % kSquaresY;
      store(target + x * rows + square_y * VECTOR, tile[place<kLineWords>(x, square_y)]);
    }
#endif
#if BY_PERMUTATION
  } else if (inside) {
    store_shifted(target, tile, rows);
#endif
  } else {
#pragma unroll 4
    for (int i = thread; i < TILE_X * TILE_Y; i += BLOCK) {
      const int y = i % TILE_Y;
      const int x = i / TILE_Y;
      if (x < width && y < height) target[x * rows + y] = elements[element_place(x, y)];
    }
  }
#else
  if (read_words && write_words) {
    Pack squares[kSquares][VECTOR];
    load_squares(squares, source, columns);
#pragma unroll
    for (int i = 0; i < kSquares; ++i) {
      const int index = thread + i * BLOCK;
      Element* to = target + index % kSquaresX * VECTOR * rows + index / kSquaresX * VECTOR;
      Pack transposed[VECTOR];
      transpose_square(squares[i], transposed);
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) store(to + j * rows, transposed[j].word);
    }
  } else {
#pragma unroll 4
    for (int i = thread; i < TILE_X * TILE_Y; i += BLOCK) {
      const int x = i % TILE_X;
      const int y = i / TILE_X;
      if (x < width && y < height) target[x * rows + y] = __ldg(source + y * columns + x);
    }
  }
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void transpose_reference(const Element* in, Element* out, long long rows, long long columns) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[i % columns * rows + i / columns] = in[i];
}
#endif
