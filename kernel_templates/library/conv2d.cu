/* warptune
[kernel]
name = "conv2d"
description = "two-dimensional filter of an image with one channel (cross-correlation), in single-precision arithmetic"
entry = "conv2d"
recommended = "conv2d.recommended.toml"
defines.FILTER_ROWS = "FILTER_HEIGHT"
defines.FILTER_COLUMNS = "FILTER_WIDTH"
defines.ELEMENT_BYTES = "sizeof(dtype)"
defines.IS_HALF = 'dtype == "f16"'
defines.BORDER_ZERO = 'border == "zero"'
defines.USE_SHARED = 'SOURCE == "shared"'
defines.USE_ASYNC = 'LOAD == "async"'
defines.USE_BULK = 'LOAD == "bulk"'
defines.TAPS = 'ALGORITHM == "taps"'
defines.REGISTER_ROWS = 'ALGORITHM == "register_rows"'
defines.FILTER_SHARED = 'FILTER_SOURCE == "shared"'
defines.PERSISTENT = "BLOCKS_PER_SM > 0"
defines.RESIDENT = "max(MIN_BLOCKS_PER_SM, BLOCKS_PER_SM)"
defines.THREADS = "BLOCK_X * BLOCK_Y"
vendor = """\
  cudnnConvolutionForward, NCHW with one channel in and out, cross-correlation, padded by half the filter (border \
  zero) or not at all (valid), and the simplest kernel"""
about = """
Computes `out[y][x] = sum over r, c of filter[r][c] * image[y + r - FILTER_HEIGHT / 2][x + c - FILTER_WIDTH / 2]` with
`border = "zero"`. Elements outside of the image count as zeros, and the result has the image's size. With `border =
"valid"` it computes `sum of filter[r][c] * image[y + r][x + c]` where the whole filter lies inside the image. The
result is then FILTER_HEIGHT - 1 rows and FILTER_WIDTH - 1 columns smaller. The filter's size is compiled in; the
image's size is not. Elements of 16 bits are widened when they are loaded, and sums are in single precision.

A point of the result takes FILTER_HEIGHT * FILTER_WIDTH FMA and at least 8 bytes of memory traffic. On a GPU of 66
TFLOP/s and 4.3 TB/s, memory limits filters up to 7 x 7, and arithmetic limits the larger ones. For the larger filters a
thread computes ITEMS_X x ITEMS_Y points, so that it reads few operands from shared memory for each FMA.

`ALGORITHM` chooses how a thread goes over the filter. With "taps" it reads an image element for each FMA, and the
points of a thread are BLOCK_X columns and BLOCK_Y rows apart. With "register_rows" it loads a row of the image into
registers, and uses it for all its points that need this row. With "sliding_window" it takes one row of the filter at a
time and keeps a sliding window of image rows in registers.

`SOURCE` chooses where image rows are read from: a tile in shared memory, or global memory, where L1 holds what threads
share. `LOAD` chooses how the tile is filled: through registers, by asynchronous copies, or by one copy of the tensor
memory accelerator. Rows whose length or address does not allow loads of VECTOR elements are loaded element by element.
Tune such images separately.
"""

[problem]
HEIGHT = { value = 4096, description = "rows of the image" }
WIDTH = { value = 4096, description = "columns of the image" }
FILTER_HEIGHT = { value = 17, description = "rows of the filter" }
FILTER_WIDTH = { value = 17, description = "columns of the filter" }
dtype = { value = "f32", description = "type of image, filter and result" }
border.value = "zero"
border.description = "zero: zeros surround the image; valid: only points where the whole filter lies inside"

[problem_values]
dtype = ["f32", "f16"]
border = ["zero", "valid"]

[parameters]
BLOCK_X = { values = [8, 16, 32, 64, 128], description = "threads per block along a row" }
BLOCK_Y = { values = [1, 2, 4, 8, 16, 32], description = "threads per block along a column" }
ITEMS_X = { values = [1, 2, 4, 8], description = "points per thread along a row" }
ITEMS_Y = { values = [1, 2, 3, 4, 6, 8, 12, 16], description = "points per thread along a column" }
ALGORITHM.values = ["taps", "register_rows", "sliding_window"]
ALGORITHM.description = """\
  how a thread goes over the filter: one image element for each FMA, image rows in registers, or a sliding window of \
  image rows in registers"""
SOURCE.values = ["shared", "global"]
SOURCE.description = "whether image rows are read from a tile in shared memory or from global memory"
VECTOR = { values = [1, 2, 4, 8], description = "elements per load from global memory" }
LOAD.values = ["registers", "async", "bulk"]
LOAD.when = 'SOURCE == "shared" && sizeof(dtype) == 4 && device_compute_capability >= 80'
LOAD.description = """\
  how the tile is filled: through registers, by asynchronous copies of each thread, or by one copy of the tensor \
  memory accelerator"""
BLOCKS_PER_SM.values = [0, 1, 2, 3, 4, 6, 8, 12, 16]
BLOCKS_PER_SM.when = 'LOAD != "registers"'
BLOCKS_PER_SM.otherwise = 0
BLOCKS_PER_SM.description = """\
  persistent blocks per SM, which load the next tile while they compute; 0: one tile per block"""
FILTER_SOURCE.values = ["shared", "global"]
FILTER_SOURCE.description = "whether the filter is read from shared or from global memory"
PAD.values = [0, 4, 8, 16]
PAD.when = 'SOURCE == "shared" && BLOCK_X * min(ITEMS_X, 4) < 32'
PAD.description = "elements of padding between rows of the tile, which avoid bank conflicts between rows of threads"
UNROLL_ROWS.values = [1, 2, 4, 64]
UNROLL_ROWS.description = "unrolled iterations of the loop over rows; 64 means all"
STREAMING_STORES.values = [false, true]
STREAMING_STORES.description = "whether results are stored with the hint that they are not read again"
MIN_BLOCKS_PER_SM.values = [1, 2, 3, 4]
MIN_BLOCKS_PER_SM.when = "BLOCKS_PER_SM == 0"
MIN_BLOCKS_PER_SM.description = "blocks that an SM must be able to hold; this limits the registers per thread"

[constraints]
list = [
  { reason = """\
      with blocks of one warp an SM reaches its maximum of blocks before it has enough threads, and large blocks wait \
      long at their barrier""", expression = """\
      BLOCK_X * BLOCK_Y >= 64 && BLOCK_X * BLOCK_Y <= 512""" },
  { reason = "the other algorithms would read the same image elements from global memory many times", expression = """\
      SOURCE == "shared" || ALGORITHM == "register_rows"""" },
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest load is 16 bytes" },
  { expression = 'SOURCE == "shared" || ITEMS_X % VECTOR == 0', reason = "the loads of a thread are aligned" },
  { expression = "(BLOCK_X * ITEMS_X) % VECTOR == 0", reason = "the loads of a block are aligned" },
  { reason = "the tensor memory accelerator needs compute capability 9.0", expression = """\
      LOAD != "bulk" || device_compute_capability >= 90""" },
  { reason = """\
      the tensor memory accelerator copies rows of whole 16-byte words without padding, at most 256 elements per \
      dimension""", expression = """\
      LOAD != "bulk" || VECTOR == 4 && PAD == 0 && BLOCK_X * ITEMS_X + FILTER_WIDTH + 6 <= 256 \
      && BLOCK_Y * ITEMS_Y + FILTER_HEIGHT - 1 <= 256""" },
  { expression = "PAD % min(4, VECTOR) == 0", reason = "the rows of the tile are aligned" },
  { reason = "a sliding window needs more than one row of points", expression = """\
      ALGORITHM != "sliding_window" || ITEMS_Y > 1""" },
  { reason = "with taps the loads from the tile are the limit, so larger values gain nothing", expression = """\
      ALGORITHM != "taps" || ITEMS_X * ITEMS_Y <= 32 && UNROLL_ROWS <= 4 && BLOCKS_PER_SM == 0""" },
  { reason = "with larger filters the arithmetic hides the stores anyway", expression = """\
      !STREAMING_STORES || FILTER_HEIGHT * FILTER_WIDTH <= 81""" },
  { reason = "copies of 4 bytes take more instructions than loads through registers", expression = """\
      LOAD != "async" || VECTOR >= 2 || WIDTH % 2 == 1""" },
  { reason = "the unrolled loop must stay in the instruction cache and compile quickly", expression = """\
      UNROLL_ROWS == 1 || ITEMS_X * ITEMS_Y * FILTER_WIDTH \
      * (UNROLL_ROWS == 64 ? FILTER_HEIGHT : ALGORITHM == "sliding_window" ? UNROLL_ROWS * ITEMS_Y : UNROLL_ROWS) \
      <= 1792""" },
  { reason = "one iteration of the loop must stay in the instruction cache and compile quickly", expression = """\
      ITEMS_X * ITEMS_Y * FILTER_WIDTH * (ALGORITHM == "sliding_window" ? ITEMS_Y : 1) <= 2560""" },
  { reason = "the sums and image rows of a thread fit into its registers", expression = """\
      ITEMS_X * ITEMS_Y + (ALGORITHM == "taps" ? 0 \
      : (ITEMS_X + FILTER_WIDTH + 3) * (ALGORITHM == "sliding_window" ? ITEMS_Y : 1)) + 28 \
      <= min(255, device_registers_per_sm / (max(MIN_BLOCKS_PER_SM, BLOCKS_PER_SM) * BLOCK_X * BLOCK_Y))""" },
  { reason = "the requested number of blocks fits on an SM", expression = """\
      max(MIN_BLOCKS_PER_SM, BLOCKS_PER_SM) * BLOCK_X * BLOCK_Y <= device_max_threads_per_sm""" },
  { reason = "fewer threads per SM cannot hide latency", expression = """\
      BLOCKS_PER_SM == 0 || BLOCKS_PER_SM * BLOCK_X * BLOCK_Y >= 256""" },
  { reason = "the tiles and the filter fit into shared memory", expression = """\
      (SOURCE == "shared" ? (BLOCK_Y * ITEMS_Y + FILTER_HEIGHT - 1) * (BLOCK_X * ITEMS_X + FILTER_WIDTH + 14 + PAD) \
      * (BLOCKS_PER_SM > 0 ? 8 : 4) : 0) + FILTER_HEIGHT * (FILTER_WIDTH + 3) * 4 + 512 \
      <= device_shared_bytes_per_block_optin""" },
  { reason = """\
      the requested number of blocks fits on an SM; if each has one tile, at least two fit, so that one loads while \
      another computes""", expression = """\
      (SOURCE == "shared" ? (BLOCK_Y * ITEMS_Y + FILTER_HEIGHT - 1) * (BLOCK_X * ITEMS_X + FILTER_WIDTH + 14 + PAD) \
      * (BLOCKS_PER_SM > 0 ? 8 : 4) : 0) + FILTER_HEIGHT * (FILTER_WIDTH + 3) * 4 + 1536 \
      <= device_shared_bytes_per_sm / (BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM : max(2, MIN_BLOCKS_PER_SM))""" },
]

[default]
BLOCK_X = 32
BLOCK_Y = 8
ITEMS_X = 1
ITEMS_Y = 1
ALGORITHM = "taps"
SOURCE = "shared"
VECTOR = 1
LOAD = "registers"
BLOCKS_PER_SM = 0
FILTER_SOURCE = "shared"
PAD = 0
UNROLL_ROWS = 1
STREAMING_STORES = false
MIN_BLOCKS_PER_SM = 1

[launch]
grid = ["""\
  min(ceil_div(border == "valid" ? HEIGHT - FILTER_HEIGHT + 1 : HEIGHT, BLOCK_Y * ITEMS_Y) \
  * ceil_div(border == "valid" ? WIDTH - FILTER_WIDTH + 1 : WIDTH, BLOCK_X * ITEMS_X), \
  BLOCKS_PER_SM == 0 ? 2147483647 : BLOCKS_PER_SM * device_sm_count)"""]
block = ["BLOCK_X", "BLOCK_Y"]
shared_bytes = """\
  (SOURCE == "shared" ? (BLOCKS_PER_SM > 0 ? 256 : 128) \
  * ceil_div((BLOCK_Y * ITEMS_Y + FILTER_HEIGHT - 1) \
  * (ceil_div(BLOCK_X * ITEMS_X + FILTER_WIDTH - 1 \
  + (border == "zero" ? ceil_div(floor(FILTER_WIDTH / 2), VECTOR) * VECTOR - floor(FILTER_WIDTH / 2) : 0), \
  max(VECTOR, min(ITEMS_X, 4))) * max(VECTOR, min(ITEMS_X, 4)) + PAD), 32) : 0) \
  + (FILTER_SOURCE == "shared" ? ceil_div(FILTER_HEIGHT * ceil_div(FILTER_WIDTH, 4), 8) * 128 : 0)"""

[[argument]]
name = "image"
kind = "in"
type = "dtype"
count = "HEIGHT * WIDTH"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "filter"
kind = "in"
type = "dtype"
count = "FILTER_HEIGHT * FILTER_WIDTH"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "out"
kind = "out"
type = "dtype"
count = 'border == "valid" ? (HEIGHT - FILTER_HEIGHT + 1) * (WIDTH - FILTER_WIDTH + 1) : HEIGHT * WIDTH'

[[argument]]
name = "height"
kind = "scalar"
type = "i32"
value = "HEIGHT"

[[argument]]
name = "width"
kind = "scalar"
type = "i32"
value = "WIDTH"

[[argument]]
name = "image_map"
kind = "tensor_map"
of = "image"
shape = ["WIDTH", "HEIGHT"]
box = [
  """\
    ceil_div(BLOCK_X * ITEMS_X + FILTER_WIDTH - 1 + (border == "zero" \
    ? ceil_div(floor(FILTER_WIDTH / 2), 4) * 4 - floor(FILTER_WIDTH / 2) : 0), 4) * 4""",
  "BLOCK_Y * ITEMS_Y + FILTER_HEIGHT - 1",
]
when = 'LOAD == "bulk" && WIDTH % 4 == 0'

# A point is a sum of K = FILTER_HEIGHT * FILTER_WIDTH products of variance 1/9, like an element of sgemm. The bound of
# 3e-7 (K + 16) is three times the largest error that millions of such sums show. The error from a missing product (0.25
# on average) is far above the bound. A result of 16 bits is rounded by 2^-11 of itself. The reference adds in double.
[check]
reference = "entry"
entry = "conv2d_reference"
grid = ["""\
  ceil_div((border == "valid" ? HEIGHT - FILTER_HEIGHT + 1 : HEIGHT) \
  * (border == "valid" ? WIDTH - FILTER_WIDTH + 1 : WIDTH), 256)"""]
block = ["256"]
absolute = "3e-7 * (FILTER_HEIGHT * FILTER_WIDTH + 16)"
relative = 'dtype == "f16" ? 1e-3 : 1e-6'

[work]
flops = """\
  2 * FILTER_HEIGHT * FILTER_WIDTH * (border == "valid" ? (HEIGHT - FILTER_HEIGHT + 1) * (WIDTH - FILTER_WIDTH + 1) \
  : HEIGHT * WIDTH)"""
bytes = """\
  (HEIGHT * WIDTH + (border == "valid" ? (HEIGHT - FILTER_HEIGHT + 1) * (WIDTH - FILTER_WIDTH + 1) : HEIGHT * WIDTH) \
  + FILTER_HEIGHT * FILTER_WIDTH) * sizeof(dtype)"""
*/
#if IS_HALF
#include <cuda_fp16.h>
#endif

#include "memory_access.cuh"
#include "tensor_map.cuh"

constexpr int kUnroll = UNROLL_ROWS;                     // nvcc expands no macros in a pragma
constexpr int kTop = BORDER_ZERO ? FILTER_ROWS / 2 : 0;  // image rows above a point that its filter covers
constexpr int kLeft = BORDER_ZERO ? FILTER_COLUMNS / 2 : 0;  // image columns left of it
constexpr int kTileX = BLOCK_X * ITEMS_X;                    // points of a block
constexpr int kTileY = BLOCK_Y * ITEMS_Y;
constexpr int kAlignedLeft = (kLeft + VECTOR - 1) / VECTOR * VECTOR;  // loads begin at a multiple of VECTOR
constexpr int kSkip = kAlignedLeft - kLeft;  // elements loaded needlessly at a row's beginning
constexpr int kFilterPitch = (FILTER_COLUMNS + 3) / 4 * 4;
struct alignas(128)
    SharedLine {  // what the tensor memory accelerator writes to begins at a multiple of 128 bytes
  float item[32];
};
#if USE_SHARED
constexpr int kRead = ITEMS_X < 4 ? ITEMS_X : 4;  // elements a load from the tile
constexpr int kAlign = VECTOR > kRead ? VECTOR : kRead;
constexpr int kRows = kTileY + FILTER_ROWS - 1;  // of the tile
constexpr int kColumns = (kSkip + kTileX + FILTER_COLUMNS - 1 + kAlign - 1) / kAlign * kAlign;
constexpr int kPitch = kColumns + PAD;
constexpr int kStage = (kRows * kPitch + 31) / 32 * 32;  // from tile to tile in shared memory
#else
constexpr int kRead = VECTOR;
#endif
#if !TAPS
constexpr int kStart =
    kSkip / kRead * kRead;            // a thread's first load, from kAlignedLeft before its first point
constexpr int kRest = kSkip % kRead;  // elements of it that are not needed
constexpr int kSegment =
    (kRest + ITEMS_X + FILTER_COLUMNS - 1 + kRead - 1) / kRead * kRead;  // a thread's part of an image row
#endif

template <class Element, int elements>
union Pack {
  typename WordOf<elements * sizeof(Element)>::Type word;
  Element item[elements];
};

__device__ __forceinline__ float widen(dtype element) {
#if IS_HALF
  return __half2float(element);
#else
  return element;
#endif
}

__device__ __forceinline__ dtype narrow(float value) {
#if IS_HALF
  return __float2half(value);
#else
  return value;
#endif
}

#include "conv2d_loads.cuh"

#include "conv2d_points.cuh"

__global__ void __launch_bounds__(THREADS, RESIDENT)
    conv2d(const dtype* __restrict__ image, const dtype* __restrict__ filter, dtype* __restrict__ out,
           int height, int width, const __grid_constant__ TensorMap image_map) {
  const int out_height = BORDER_ZERO ? height : height - FILTER_ROWS + 1;
  const int out_width = BORDER_ZERO ? width : width - FILTER_COLUMNS + 1;
  const unsigned blocks_x = (static_cast<unsigned>(out_width) + kTileX - 1) / kTileX;
  const auto column_of = [&](unsigned block) { return static_cast<int>(block % blocks_x) * kTileX; };
  const auto row_of = [&](unsigned block) { return static_cast<int>(block / blocks_x) * kTileY; };

#if USE_SHARED || FILTER_SHARED
  extern __shared__ SharedLine shared_lines[];
#endif
#if FILTER_SHARED
  float* shared_filter = reinterpret_cast<float*>(shared_lines);
#else
  const float* shared_filter = nullptr;
#endif
#if USE_SHARED
  float* tiles = reinterpret_cast<float*>(shared_lines) +
                 (FILTER_SHARED ? (FILTER_ROWS * kFilterPitch + 31) / 32 * 32 : 0);
#if USE_BULK && defined(__CUDA_ARCH__)
  __shared__ unsigned long long barriers[2];
  const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(barriers));
  const bool bulk = width % 4 == 0 && reinterpret_cast<size_t>(image) % 16 == 0;
  const bool leads = threadIdx.x == 0 && threadIdx.y == 0;
  if (leads) {
    barrier_init(barrier, 1);
    barrier_init(barrier + 8, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
#endif
  const auto begin_tile = [&](unsigned block, int stage) {
    float* tile = tiles + stage * kStage;
    const int row = row_of(block) - kTop;
    const int column = column_of(block) - kAlignedLeft;
#if USE_BULK && defined(__CUDA_ARCH__)
    if (bulk) {
      if (leads) start_bulk_copy(tile, image_map, barrier + 8 * stage, row, column);
      return;
    }
#endif
    load_tile(tile, image, row, column, height, width);
  };
  begin_tile(blockIdx.x, 0);
#if USE_ASYNC
  commit_copies();
#endif
#endif
#if FILTER_SHARED
  load_filter(shared_filter, filter);
#endif
#if (USE_SHARED && !(USE_ASYNC && defined(__CUDA_ARCH__))) || FILTER_SHARED
  __syncthreads();
#endif

#if PERSISTENT
  const unsigned blocks = blocks_x * ((static_cast<unsigned>(out_height) + kTileY - 1) / kTileY);
  int stage = 0;
  unsigned phase = 0;
#pragma unroll 1
  for (unsigned block = blockIdx.x; block < blocks; block += gridDim.x) {
    if (block + gridDim.x < blocks) begin_tile(block + gridDim.x, stage ^ 1);
#if USE_ASYNC && defined(__CUDA_ARCH__)
    commit_copies();
    wait_for_copies<1>();
    __syncthreads();
#elif USE_BULK && defined(__CUDA_ARCH__)
    if (bulk) barrier_wait(barrier + 8 * stage, phase);
#endif
    filter_points(tiles + stage * kStage, shared_filter, image, filter, out, column_of(block), row_of(block),
                  height, width, out_height, out_width);
    __syncthreads();  // all have read the tile
    phase ^= static_cast<unsigned>(stage);
    stage ^= 1;
  }
#else
#if USE_ASYNC && defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
#elif USE_BULK && defined(__CUDA_ARCH__)
  if (bulk) barrier_wait(barrier, 0);
#endif
#if USE_SHARED
  const float* tile = tiles;
#else
  const float* tile = nullptr;
#endif
  filter_points(tile, shared_filter, image, filter, out, column_of(blockIdx.x), row_of(blockIdx.x), height,
                width, out_height, out_width);
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void conv2d_reference(const dtype* image, const dtype* filter, dtype* out, int height, int width,
                                 const __grid_constant__ TensorMap) {
  const int out_height = BORDER_ZERO ? height : height - FILTER_ROWS + 1;
  const int out_width = BORDER_ZERO ? width : width - FILTER_COLUMNS + 1;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(out_height) * out_width) return;
  const int y = static_cast<int>(i / out_width);
  const int x = static_cast<int>(i % out_width);
  double sum = 0.0;
  for (int row = 0; row < FILTER_ROWS; ++row) {
    for (int column = 0; column < FILTER_COLUMNS; ++column) {
      sum += static_cast<double>(widen(filter[row * FILTER_COLUMNS + column])) *
             static_cast<double>(element_of(image, y + row - kTop, x + column - kLeft, height, width));
    }
  }
  out[i] = narrow(static_cast<float>(sum));
}
#endif
