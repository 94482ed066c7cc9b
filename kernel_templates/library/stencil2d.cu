/* warptune
[kernel]
name = "stencil2d"
description = "STEPS sweeps of a star-shaped stencil of radius RADIUS over a matrix"
about = """
Every sweep replaces each element of a row-major matrix by a weighted sum: weights[0] times the element itself, plus
weights[d] times its four neighbours at distance d, for d from 1 to RADIUS. RADIUS 1 is the five-point stencil. There
are two ways to treat the edges of the matrix (`boundary`). With `fixed`, elements closer to an edge than RADIUS keep
their values. With `clamp`, neighbours outside have the value of the nearest element inside. STEPS sweeps are one
evaluation.

There are three ways to share the elements that neighbouring points have in common:

- `registers`: a thread loads its ITEMS_Y rows and those above and below into registers, all at once.
- `sliding_window`: a thread goes down ITEMS_Y rows with a window of rows in registers, and loads PREFETCH_ROWS rows
  ahead.
- `shared`: the block copies its tile with a halo to shared memory.

Neighbours along a row are loaded again or come from other lanes of the warp. With temporal blocking
(`TEMPORAL_BLOCKING`) a tile in shared memory goes through several sweeps before it is written. The halo grows by RADIUS
for each sweep, but memory is read and written only once for these sweeps. Further sweeps are separate launches, which
alternate between `out` and a scratch matrix.
"""
vendor = "no library, but with a device-to-device copy"
entry = "stencil2d"
recommended = "stencil2d.recommended.toml"

[kernel.defines]
STAR_RADIUS = "RADIUS"
ALL_STEPS = "STEPS"
SWEEP_LAUNCHES = "STEPS / TEMPORAL_BLOCKING"
FIXED_BOUNDARY = 'boundary == "fixed"'
IN_SHARED = 'ALGORITHM == "shared"'
SLIDING_WINDOW = 'ALGORITHM == "sliding_window"'
LINEAR_INDEXING = 'INDEXING == "linear"'
NEIGHBOURS_SHUFFLE = 'ROW_NEIGHBOURS == "shuffle"'
LOAD_ASYNC = 'LOAD == "async"'
STORE_STREAMING = 'STORE == "streaming"'

[problem]
ROWS = { value = 8192, description = "rows of the matrix" }
COLUMNS = { value = 8192, description = "columns of the matrix" }
RADIUS = { value = 1, description = "distance of the farthest neighbours" }
STEPS = { value = 1, description = "sweeps per evaluation" }
dtype = { value = "f32", description = "type of the elements and of all arithmetic" }
boundary.value = "fixed"
boundary.description = """\
  fixed: elements closer to an edge than RADIUS keep their values; clamp: neighbours outside have the value of the \
  nearest element inside"""

[problem_values]
RADIUS = [1, 2, 3, 4]
STEPS = [1, 2, 4]
dtype = ["f32", "f64"]
boundary = ["fixed", "clamp"]

[parameters]
ALGORITHM.values = ["registers", "sliding_window", "shared"]
ALGORITHM.description = """\
  where the elements are kept that neighbouring points share: in registers, in a sliding window of rows in registers, \
  or in shared memory"""
BLOCK_X = { values = [32, 64, 128, 256], description = "threads per block along a row" }
BLOCK_Y = { values = [1, 2, 4, 8, 16], description = "threads per block along a column" }
VECTOR = { values = [1, 2, 4], description = "columns per thread, and elements per access" }
ITEMS_Y = { values = [1, 2, 4, 8, 16, 32, 64, 128], description = "rows per thread" }
INDEXING.values = ["tiles", "linear"]
INDEXING.when = 'ALGORITHM != "shared"'
INDEXING.otherwise = "tiles"
INDEXING.description = """\
  which points a block has: a tile, or row by row as many as it has threads (linear), so that no thread is idle where \
  rows are short"""
ROW_NEIGHBOURS.values = ["load", "shuffle"]
ROW_NEIGHBOURS.when = 'ALGORITHM != "shared" && INDEXING == "tiles"'
ROW_NEIGHBOURS.otherwise = "load"
ROW_NEIGHBOURS.description = "whether neighbours along a row are loaded or come from other lanes of the warp (shuffle)"
PREFETCH_ROWS.values = [0, 1, 2, 4]
PREFETCH_ROWS.when = 'ALGORITHM == "sliding_window"'
PREFETCH_ROWS.otherwise = 0
PREFETCH_ROWS.description = "rows that are loaded ahead"
TEMPORAL_BLOCKING.values = [1, 2, 4]
TEMPORAL_BLOCKING.when = 'ALGORITHM == "shared"'
TEMPORAL_BLOCKING.otherwise = 1
TEMPORAL_BLOCKING.description = "sweeps over a tile in shared memory before it is written"
LOAD.values = ["registers", "async"]
LOAD.when = 'ALGORITHM == "shared"'
LOAD.otherwise = "registers"
LOAD.description = "how tiles reach shared memory: through registers, or by asynchronous copies"
STORE = { values = ["plain", "streaming"], description = "cache hint of stores" }

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest access is 16 bytes" },
  { reason = "a block has at least two warps and at most 1024 threads", expression = """\
      BLOCK_X * BLOCK_Y >= 64 && BLOCK_X * BLOCK_Y <= 1024""" },
  { expression = "STEPS % TEMPORAL_BLOCKING == 0", reason = "every launch makes the same number of sweeps" },
  { expression = 'ALGORITHM == "sliding_window" || ITEMS_Y <= 16', reason = "these rows are all kept in registers" },
  { reason = "at most 96 registers hold a thread's rows", expression = """\
      ALGORITHM == "sliding_window" || (ITEMS_Y + 2 * RADIUS) * VECTOR * sizeof(dtype) <= 384""" },
  { reason = "the rows of a block fit into the registers", expression = """\
      (ITEMS_Y + 2 * RADIUS) * VECTOR * sizeof(dtype) / 4 + 40 <= device_registers_per_sm / (BLOCK_X * BLOCK_Y) \
      || ALGORITHM == "sliding_window"""" },
  { reason = "a window that slides over fewer rows reads mostly its halo", expression = """\
      ALGORITHM != "sliding_window" || ITEMS_Y >= 16""" },
  { reason = "at most 64 registers hold the window", expression = """\
      ALGORITHM != "sliding_window" || (2 * RADIUS + 1 + PREFETCH_ROWS) * VECTOR * sizeof(dtype) <= 256""" },
  { reason = "in blocks of whole tiles of long rows, few threads are idle", expression = """\
      INDEXING != "linear" || COLUMNS <= 512""" },
  { reason = "without tiles, only the number of threads counts", expression = """\
      INDEXING != "linear" || BLOCK_X == 32""" },
  { reason = "a linear index has 31 bits", expression = """\
      INDEXING != "linear" || ceil_div(COLUMNS, VECTOR) * ceil_div(ROWS, ITEMS_Y) < 2147483648""" },
  { expression = "ITEMS_Y * BLOCK_Y <= 512", reason = "tiles of more rows leave SMs without work at the end" },
  { reason = "the tile fits into shared memory, and two of them fit on an SM", expression = """\
      ALGORITHM != "shared" || (TEMPORAL_BLOCKING > 1 ? 2 : 1) \
      * (BLOCK_Y * ITEMS_Y + 2 * RADIUS * TEMPORAL_BLOCKING) \
      * (BLOCK_X * VECTOR + 2 * ceil_div(RADIUS * TEMPORAL_BLOCKING, VECTOR) * VECTOR) * sizeof(dtype) \
      <= min(device_shared_bytes_per_block_optin, 115712)""" },
  { reason = "a tile is at least twice as large as its halo", expression = """\
      TEMPORAL_BLOCKING == 1 || BLOCK_Y * ITEMS_Y >= 4 * RADIUS * TEMPORAL_BLOCKING \
      && BLOCK_X * VECTOR >= 4 * RADIUS * TEMPORAL_BLOCKING""" },
  { reason = "asynchronous copies need compute capability 8.0", expression = """\
      LOAD != "async" || device_compute_capability >= 80""" },
]

[default]
ALGORITHM = "registers"
BLOCK_X = 32
BLOCK_Y = 8
VECTOR = 1
ITEMS_Y = 1
INDEXING = "tiles"
ROW_NEIGHBOURS = "load"
PREFETCH_ROWS = 0
TEMPORAL_BLOCKING = 1
LOAD = "registers"
STORE = "plain"

[launch]
grid = ["""\
  INDEXING == "linear" ? ceil_div(ceil_div(COLUMNS, VECTOR) * ceil_div(ROWS, ITEMS_Y), BLOCK_X * BLOCK_Y) \
  : ceil_div(COLUMNS, BLOCK_X * VECTOR) * ceil_div(ceil_div(ROWS, BLOCK_Y * ITEMS_Y), 65535)""", """\
  INDEXING == "linear" ? 1 : min(ceil_div(ROWS, BLOCK_Y * ITEMS_Y), 65535)"""]
block = ["BLOCK_X * BLOCK_Y"]
shared_bytes = """\
  ALGORITHM == "shared" ? (TEMPORAL_BLOCKING > 1 ? 2 : 1) * (BLOCK_Y * ITEMS_Y + 2 * RADIUS * TEMPORAL_BLOCKING) \
  * (BLOCK_X * VECTOR + 2 * ceil_div(RADIUS * TEMPORAL_BLOCKING, VECTOR) * VECTOR) * sizeof(dtype) : 0"""

# The main launch writes `out`. It reads `in` if it is the only one, otherwise `scratch`: in -> scratch -> out, or in ->
# scratch -> out -> scratch -> out.
[[launch.before]]
entry = "sweep_in_to_scratch"
grid = ["""\
  INDEXING == "linear" ? ceil_div(ceil_div(COLUMNS, VECTOR) * ceil_div(ROWS, ITEMS_Y), BLOCK_X * BLOCK_Y) \
  : ceil_div(COLUMNS, BLOCK_X * VECTOR) * ceil_div(ceil_div(ROWS, BLOCK_Y * ITEMS_Y), 65535)""", """\
  INDEXING == "linear" ? 1 : min(ceil_div(ROWS, BLOCK_Y * ITEMS_Y), 65535)"""]
block = ["BLOCK_X * BLOCK_Y"]
shared_bytes = """\
  ALGORITHM == "shared" ? (TEMPORAL_BLOCKING > 1 ? 2 : 1) * (BLOCK_Y * ITEMS_Y + 2 * RADIUS * TEMPORAL_BLOCKING) \
  * (BLOCK_X * VECTOR + 2 * ceil_div(RADIUS * TEMPORAL_BLOCKING, VECTOR) * VECTOR) * sizeof(dtype) : 0"""
when = "STEPS / TEMPORAL_BLOCKING >= 2"

[[launch.before]]
entry = "stencil2d"
grid = ["""\
  INDEXING == "linear" ? ceil_div(ceil_div(COLUMNS, VECTOR) * ceil_div(ROWS, ITEMS_Y), BLOCK_X * BLOCK_Y) \
  : ceil_div(COLUMNS, BLOCK_X * VECTOR) * ceil_div(ceil_div(ROWS, BLOCK_Y * ITEMS_Y), 65535)""", """\
  INDEXING == "linear" ? 1 : min(ceil_div(ROWS, BLOCK_Y * ITEMS_Y), 65535)"""]
block = ["BLOCK_X * BLOCK_Y"]
shared_bytes = """\
  ALGORITHM == "shared" ? (TEMPORAL_BLOCKING > 1 ? 2 : 1) * (BLOCK_Y * ITEMS_Y + 2 * RADIUS * TEMPORAL_BLOCKING) \
  * (BLOCK_X * VECTOR + 2 * ceil_div(RADIUS * TEMPORAL_BLOCKING, VECTOR) * VECTOR) * sizeof(dtype) : 0"""
when = "STEPS / TEMPORAL_BLOCKING >= 4"

[[launch.before]]
entry = "sweep_out_to_scratch"
grid = ["""\
  INDEXING == "linear" ? ceil_div(ceil_div(COLUMNS, VECTOR) * ceil_div(ROWS, ITEMS_Y), BLOCK_X * BLOCK_Y) \
  : ceil_div(COLUMNS, BLOCK_X * VECTOR) * ceil_div(ceil_div(ROWS, BLOCK_Y * ITEMS_Y), 65535)""", """\
  INDEXING == "linear" ? 1 : min(ceil_div(ROWS, BLOCK_Y * ITEMS_Y), 65535)"""]
block = ["BLOCK_X * BLOCK_Y"]
shared_bytes = """\
  ALGORITHM == "shared" ? (TEMPORAL_BLOCKING > 1 ? 2 : 1) * (BLOCK_Y * ITEMS_Y + 2 * RADIUS * TEMPORAL_BLOCKING) \
  * (BLOCK_X * VECTOR + 2 * ceil_div(RADIUS * TEMPORAL_BLOCKING, VECTOR) * VECTOR) * sizeof(dtype) : 0"""
when = "STEPS / TEMPORAL_BLOCKING >= 4"

[[argument]]
name = "in"
kind = "in"
type = "dtype"
count = "ROWS * COLUMNS"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

# 17 weights add up to 1.02 at most, so that values stay about as large as they were.
[[argument]]
name = "weights"
kind = "in"
type = "dtype"
count = "RADIUS + 1"
init = { kind = "uniform", low = 0.02, high = 0.06, seed = 2 }

[[argument]]
name = "out"
kind = "out"
type = "dtype"
count = "ROWS * COLUMNS"

[[argument]]
name = "scratch"
kind = "scratch"
type = "dtype"
count = "STEPS > TEMPORAL_BLOCKING ? ROWS * COLUMNS : 1"

[[argument]]
name = "rows"
kind = "scalar"
type = "i32"
value = "ROWS"

[[argument]]
name = "columns"
kind = "scalar"
type = "i32"
value = "COLUMNS"

# Let u = 2^-24 (2^-53), and let elements have magnitude 1. The four neighbours at one distance are added with three
# roundings, 5 u in total, and weighted by 0.06. The RADIUS + 1 products are added to sums below 1.02, with u / 2 each.
# A sweep has an error below (RADIUS + 1) u and amplifies the error of earlier sweeps by 1.02 at most. The tolerance is
# twice that. A missing neighbour changes the result by 0.02 on average.
[check]
reference = "entry"
entry = "stencil2d_reference"
grid = ["ceil_div(COLUMNS, 16)", "min(ceil_div(ROWS, 16), 65535)"]
block = ["256"]
absolute = '(dtype == "f64" ? 1.2e-16 : 6e-8) * 2 * STEPS * (RADIUS + 1)'
relative = 0.0

# For each distance: three additions, a product and an addition.
[work]
flops = "STEPS * ROWS * COLUMNS * (5 * RADIUS + 1)"
bytes = "2 * ROWS * COLUMNS * sizeof(dtype)"
*/

#include "memory_access.cuh"

using Word = WordOf<VECTOR * sizeof(dtype)>::Type;

union Pack {
  Word word;
  dtype item[VECTOR];
};

constexpr int kRadius = STAR_RADIUS;
constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kTileX = BLOCK_X * VECTOR;
constexpr int kTileY = BLOCK_Y * ITEMS_Y;
#if SLIDING_WINDOW
constexpr int kWindow = 2 * kRadius + 1 + PREFETCH_ROWS;  // rows in registers
#endif

#include "stencil2d_points.cuh"

#include "stencil2d_tile.cuh"

// TEMPORAL_BLOCKING sweeps over a block's tile.
__device__ __forceinline__ void sweep(const dtype* __restrict__ from, const dtype* __restrict__ given_weights,
                                      dtype* __restrict__ out, int rows, int columns) {
#if LINEAR_INDEXING
  const unsigned across = (static_cast<unsigned>(columns) + VECTOR - 1) / VECTOR;
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  if (index / across >= (static_cast<unsigned>(rows) + ITEMS_Y - 1) / ITEMS_Y) return;
  const int x = static_cast<int>(index % across) * VECTOR;
  const int y = static_cast<int>(index / across) * ITEMS_Y;
#else
  const int thread = static_cast<int>(threadIdx.x);
  // Rows of tiles beyond the 65535 of a grid's second axis continue along the first.
  const unsigned across = (static_cast<unsigned>(columns) + kTileX - 1) / kTileX;
  unsigned tile_column = blockIdx.x;
  unsigned tile_row = blockIdx.y;
  if (gridDim.x != across) {
    tile_column = blockIdx.x % across;
    tile_row += blockIdx.x / across * gridDim.y;
    if (static_cast<long long>(tile_row) * kTileY >= rows) return;
  }
  const int tile_x = static_cast<int>(tile_column) * kTileX;
  const int tile_y = static_cast<int>(tile_row) * kTileY;
  const int x = tile_x + thread % BLOCK_X * VECTOR;
  const int y = tile_y + thread / BLOCK_X * ITEMS_Y;
#endif
  Matrix in;
  in.data = from;
  in.rows = rows;
  in.columns = columns;
  in.vectors = columns % VECTOR == 0 &&
               (reinterpret_cast<size_t>(from) | reinterpret_cast<size_t>(out)) % sizeof(Word) == 0;
  Weights weights;
#pragma unroll
  for (int d = 0; d <= kRadius; ++d) weights.at[d] = __ldg(given_weights + d);

#if SLIDING_WINDOW
  dtype window[kWindow][VECTOR];
#pragma unroll
  for (int i = 0; i < kWindow - 1; ++i) load_own(window[i], in, y - kRadius + i, x);
#pragma unroll 1
  for (int base = 0; base < ITEMS_Y; base += kWindow) {
#pragma unroll
    for (int i = 0; i < kWindow; ++i) {
      if (base + i >= ITEMS_Y || y + base + i >= rows) return;
      load_own(window[(kWindow - 1 + i) % kWindow], in, y + base + i + kRadius + PREFETCH_ROWS, x);
      Sides sides;
      load_sides(sides, window[(kRadius + i) % kWindow], in, y + base + i, x);
      finish_row(
          out, in, weights,
          [&](int d) -> const dtype(&)[VECTOR] { return window[(kRadius + i + d) % kWindow]; }, sides,
          y + base + i, x);
    }
  }
#else
  dtype own[ITEMS_Y + 2 * kRadius][VECTOR];
#if IN_SHARED
  extern __shared__ uint4 shared_words[];
  dtype* tile = reinterpret_cast<dtype*>(shared_words);
  load_tile(tile, in, tile_y - kHaloY, tile_x - kHaloX);
  __syncthreads();
#if TEMPORAL_BLOCKING > 1
  dtype* other = tile + kHeight * kPitch;
#pragma unroll 1
  for (int number = 1; number < TEMPORAL_BLOCKING; ++number) {
    sweep_tile(other, tile, in, weights, number, tile_y - kHaloY, tile_x - kHaloX);
    dtype* const done = tile;
    tile = other;
    other = done;
  }
#endif
  const dtype* place = tile + (y - tile_y + kHaloY) * kPitch + x - tile_x + kHaloX;
#pragma unroll
  for (int i = 0; i < ITEMS_Y + 2 * kRadius; ++i) read_own(own[i], place + (i - kRadius) * kPitch);
#else
#pragma unroll
  for (int i = 0; i < ITEMS_Y + 2 * kRadius; ++i) load_own(own[i], in, y - kRadius + i, x);
#endif
#pragma unroll
  for (int i = 0; i < ITEMS_Y; ++i) {
    Sides sides;
#if IN_SHARED
    read_sides(sides, place + i * kPitch);
#else
    load_sides(sides, own[kRadius + i], in, y + i, x);
#endif
    finish_row(
        out, in, weights, [&](int d) -> const dtype(&)[VECTOR] { return own[kRadius + i + d]; }, sides, y + i,
        x);
  }
#endif
}

__global__ void __launch_bounds__(kThreads) stencil2d(const dtype* in, const dtype* weights, dtype* out,
                                                      const dtype* scratch, int rows, int columns) {
#if SWEEP_LAUNCHES == 1
  sweep(in, weights, out, rows, columns);
#else
  sweep(scratch, weights, out, rows, columns);
#endif
}

__global__ void __launch_bounds__(kThreads) sweep_in_to_scratch(const dtype* in, const dtype* weights, dtype*,
                                                                dtype* scratch, int rows, int columns) {
#if SWEEP_LAUNCHES > 1
  sweep(in, weights, scratch, rows, columns);
#endif
}

__global__ void __launch_bounds__(kThreads)
    sweep_out_to_scratch(const dtype*, const dtype* weights, dtype* out, dtype* scratch, int rows,
                         int columns) {
#if SWEEP_LAUNCHES > 2
  sweep(out, weights, scratch, rows, columns);
#endif
}

#ifdef WARPTUNE_REFERENCE
// In double: a block takes a tile of 16 x 16 points and all that they depend on through every sweep.
__global__ void stencil2d_reference(const dtype* in, const dtype* weights, dtype* out, dtype*, int rows,
                                    int columns) {
  constexpr int kHalo = ALL_STEPS * kRadius;
  constexpr int kSide = 16 + 2 * kHalo;
  __shared__ double before[kSide * kSide];
  __shared__ double after[kSide * kSide];
  const int thread = static_cast<int>(threadIdx.x);
  const int x0 = static_cast<int>(blockIdx.x) * 16 - kHalo;
  for (int block_y = static_cast<int>(blockIdx.y); block_y * 16 < rows;
       block_y += static_cast<int>(gridDim.y)) {
    const int y0 = block_y * 16 - kHalo;
    for (int i = thread; i < kSide * kSide; i += 256) {
      const int y = y0 + i / kSide, x = x0 + i % kSide;
      const bool exists = y >= 0 && y < rows && x >= 0 && x < columns;
      before[i] = exists ? static_cast<double>(in[static_cast<long long>(y) * columns + x]) : 0.0;
    }
    __syncthreads();
    for (int step = 1; step <= ALL_STEPS; ++step) {
      const int edge = step * kRadius;
      for (int i = thread; i < kSide * kSide; i += 256) {
        const int row = i / kSide, column = i % kSide;
        const int y = y0 + row, x = x0 + column;
        const bool wanted = row >= edge && row < kSide - edge && column >= edge && column < kSide - edge;
        if (!wanted || y < 0 || y >= rows || x < 0 || x >= columns) continue;
#if FIXED_BOUNDARY
        const bool kept = y < kRadius || y >= rows - kRadius || x < kRadius || x >= columns - kRadius;
#else
        const bool kept = false;
#endif
        double sum = static_cast<double>(weights[0]) * before[i];
        for (int d = 1; d <= kRadius; ++d) {
          const int up = clamped(y - d, rows) - y0, down = clamped(y + d, rows) - y0;
          const int left = clamped(x - d, columns) - x0, right = clamped(x + d, columns) - x0;
          sum +=
              static_cast<double>(weights[d]) * (before[up * kSide + column] + before[down * kSide + column] +
                                                 before[row * kSide + left] + before[row * kSide + right]);
        }
        after[i] = kept ? before[i] : sum;
      }
      __syncthreads();
      for (int i = thread; i < kSide * kSide; i += 256) before[i] = after[i];
      __syncthreads();
    }
    const int y = y0 + kHalo + thread / 16, x = x0 + kHalo + thread % 16;
    if (y < rows && x < columns) {
      out[static_cast<long long>(y) * columns + x] =
          static_cast<dtype>(before[(kHalo + thread / 16) * kSide + kHalo + thread % 16]);
    }
    __syncthreads();
  }
}
#endif
