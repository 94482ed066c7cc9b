/* warptune
[kernel]
name = "elementwise"
description = "c = f(a, b), element by element: copy, scale, add, triad, relu or clamp"
entry = "elementwise"
vendor = "cub::DeviceTransform::Transform; for copy also cudaMemcpyAsync from device to device"
about = """
The source has six functions of one or two vectors. `operation` selects one of them. The kernel `elementwise` allows all
six. The kernels `copy`, `scale`, `vector_add` (for `add`), `triad`, `relu` and `clamp` have the same source, and each
of them allows only one:

- `copy`: c = a
- `scale`: c = alpha a
- `add`: c = a + b
- `triad`: c = a + alpha b
- `relu`: c = max(a, 0)
- `clamp`: c = min(max(a, low), high)

Each function executes at most two operations per element, so memory limits it. The time depends on the number of bytes
in flight (an H200 needs about 48 KiB per SM). It also depends on how many instructions and registers it takes to keep
so many bytes in flight.

`LOAD_PATH` chooses one of three ways of loading. `registers` loads vectors of 1 to 16 bytes into registers,
VECTORS_PER_THREAD of them at a time. `cp_async` copies them asynchronously into a ring of STAGES tiles in shared memory
(cp.async, from sm_80 on). Each thread reads the vectors that it has copied itself, so that no barrier is needed. With
`cp_async_bulk` one thread issues copies of whole tiles (cp.async.bulk, from sm_90 on), and the others wait for them.

Blocks take one tile each, or they are persistent and loop over tiles. `LOAD` and `STORE` choose the cache hints. With
STORE = `cp_async_bulk`, bulk copies write the tiles from shared memory to global memory.

Elements are f16, bf16, f32, f64 or integers of 8 to 64 bits. f16 and bf16 are computed in f32 and rounded once.
Integers wrap around. triad is one fused multiply-add where the type has one. relu and clamp keep NaNs with every
CLAMP_FORM, and may change the sign of a zero. c may be the same buffer as a or b. Buffers that are not aligned to the
vectors are accessed element by element.
"""
[kernel.defines]
ONE_TILE = "BLOCKS_PER_SM == 0"
IS_F16 = 'dtype == "f16"'
IS_BF16 = 'dtype == "bf16"'
IS_INTEGER = 'dtype == "i8" || dtype == "i16" || dtype == "i32" || dtype == "i64"'
IS_COPY = 'operation == "copy"'
IS_SCALE = 'operation == "scale"'
IS_ADD = 'operation == "add"'
IS_TRIAD = 'operation == "triad"'
IS_RELU = 'operation == "relu"'
PATH_REGISTERS = 'LOAD_PATH == "registers"'
PATH_CP_ASYNC = 'LOAD_PATH == "cp_async"'
STORE_BULK = 'STORE == "cp_async_bulk"'
CLAMP_BRANCH = 'CLAMP_FORM == "branch"'
CLAMP_MIN_MAX = 'CLAMP_FORM == "min_max"'
CLAMP_BIT_MASK = 'CLAMP_FORM == "bit_mask"'

[problem]
N = { value = 67108864, description = "elements" }
dtype = { value = "f32", description = "type of the elements" }
operation = { value = "add", description = "what is computed" }

[problem_values]
dtype = ["f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64"]
operation = ["copy", "scale", "add", "triad", "relu", "clamp"]

[parameters]
LOAD_PATH.values = ["registers", "cp_async", "cp_async_bulk"]
LOAD_PATH.description = """\
  how elements are loaded: into registers, by cp.async into a ring of tiles in shared memory, or into such a ring \
  by bulk copies of whole tiles"""
BLOCK = { values = [64, 128, 256, 512, 1024], description = "threads per block" }
VECTORS_PER_THREAD.values = [1, 2, 3, 4, 8, 16]
VECTORS_PER_THREAD.description = "vector loads that a thread issues at a time from each input"
VECTOR = { values = [1, 2, 4, 8, 16], description = "elements per vector load or store" }
BLOCKS_PER_SM.values = [0, 1, 2, 4, 8, 16]
BLOCKS_PER_SM.description = "persistent blocks per SM, each of which loops over tiles; 0: one tile per block"
STAGES.values = [1, 2, 3, 4, 8]
STAGES.when = 'LOAD_PATH != "registers"'
STAGES.description = "tiles in the ring in shared memory"
LOAD.values = ["plain", "read_only", "streaming", "no_allocate", "l2_128", "l2_256"]
LOAD.when = 'LOAD_PATH == "registers"'
LOAD.description = """\
  cache hint of loads: none, read-only path, evict first, not kept in L1, or fetch 128 or 256 bytes into L2"""
STORE.values = ["plain", "streaming", "write_through", "cp_async_bulk"]
STORE.description = "cache hint of stores, or bulk copies from shared memory"
CLAMP_FORM.values = ["ternary", "branch", "min_max", "bit_mask"]
CLAMP_FORM.when = 'operation == "relu" || operation == "clamp"'
CLAMP_FORM.description = "how bounds are applied: conditional expression, branch, minimum and maximum, or bit masks"

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest load is 16 bytes" },
  { reason = "all persistent blocks must be resident at once", expression = """\
    BLOCK * BLOCKS_PER_SM <= device_max_threads_per_sm""" },
  { reason = """\
    two inputs of 64 bytes per thread take 32 registers; more would only lower the occupancy""", expression = """\
    LOAD_PATH != "registers" || VECTOR * VECTORS_PER_THREAD * sizeof(dtype) <= 64""" },
  { reason = "asynchronous copies need sm_80", expression = """\
    LOAD_PATH == "registers" || device_compute_capability >= 80""" },
  { expression = 'LOAD_PATH != "cp_async_bulk" || device_compute_capability >= 90', reason = "bulk copies need sm_90" },
  { expression = 'LOAD != "l2_256" || device_compute_capability >= 80', reason = "fetching 256 bytes needs sm_80" },
  { reason = "an asynchronous copy has at least 4 bytes", expression = """\
    LOAD_PATH == "registers" || VECTOR * sizeof(dtype) >= 4""" },
  { reason = "only tiles in shared memory can be stored by bulk copies", expression = """\
    STORE != "cp_async_bulk" || LOAD_PATH == "cp_async_bulk"""" },
  { reason = "a ring in shared memory is of use only if a block has several tiles", expression = """\
    LOAD_PATH != "cp_async" || BLOCKS_PER_SM > 0 && STAGES > 1""" },
  { reason = """\
    one tile needs one stage; several tiles need several stages, so that their copies overlap""", expression = """\
    LOAD_PATH != "cp_async_bulk" || (BLOCKS_PER_SM == 0) == (STAGES == 1)""" },
  { reason = "the rings of all resident blocks fit into shared memory", expression = """\
    LOAD_PATH == "registers" || STAGES * BLOCK * VECTORS_PER_THREAD * VECTOR * sizeof(dtype) * (operation == "add" \
    || operation == "triad" ? 2 : 1) + 1024 <= min(device_shared_bytes_per_block_optin, device_shared_bytes_per_sm \
    / max(BLOCKS_PER_SM, 1))""" },
  { reason = "fewer bytes in flight cannot keep the memory busy", expression = """\
    BLOCKS_PER_SM == 0 || BLOCK * BLOCKS_PER_SM * VECTORS_PER_THREAD * VECTOR * sizeof(dtype) * max(STAGES - 1, 1) \
    * (operation == "add" || operation == "triad" ? 2 : 1) >= (device_compute_capability >= 90 ? 24576 : 12288)""" },
  { reason = "a smaller bulk copy takes longer to issue than to run", expression = """\
    LOAD_PATH != "cp_async_bulk" || BLOCK * VECTORS_PER_THREAD * VECTOR * sizeof(dtype) >= 2048""" },
  { reason = """\
    few larger tiles fit on an SM, so the copies of one block overlap with little work of others""", expression = """\
    LOAD_PATH != "cp_async_bulk" || BLOCKS_PER_SM > 0 || BLOCK * VECTORS_PER_THREAD * VECTOR * sizeof(dtype) <= \
    32768""" },
]

[default]
LOAD_PATH = "registers"
BLOCK = 256
VECTORS_PER_THREAD = 1
VECTOR = 1
BLOCKS_PER_SM = 0
STAGES = 1
LOAD = "plain"
STORE = "plain"
CLAMP_FORM = "ternary"

[launch]
grid = ["""\
  BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * VECTORS_PER_THREAD * VECTOR) : min(ceil_div(N, BLOCK * \
  VECTORS_PER_THREAD * VECTOR), BLOCKS_PER_SM * device_sm_count)"""]
block = ["BLOCK"]
shared_bytes = """\
  LOAD_PATH == "registers" ? 0 : STAGES * BLOCK * VECTORS_PER_THREAD * VECTOR * sizeof(dtype) * (operation == \
  "add" || operation == "triad" ? 2 : 1)"""

# The range is -100 to 100 instead of -1 to 1, so that integers differ from each other.
[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "N"
init = { kind = "uniform", low = -100.0, high = 100.0, seed = 1 }

# Functions of one vector do not read `b`.
[[argument]]
name = "b"
kind = "in"
type = "dtype"
count = 'operation == "add" || operation == "triad" ? N : 1'
init = { kind = "uniform", low = -100.0, high = 100.0, seed = 2 }

[[argument]]
name = "c"
kind = "out"
type = "dtype"
count = "N"

[[argument]]
name = "alpha"
kind = "scalar"
type = "dtype"
value = "3"

[[argument]]
name = "low"
kind = "scalar"
type = "dtype"
value = "-50"

[[argument]]
name = "high"
kind = "scalar"
type = "dtype"
value = "60"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

# Both sides round the result of one operation (a fused one in triad), which IEEE 754 defines to the last bit. So there
# is no tolerance. The f16 and bf16 forms of both sides compute in f32 and round once more, and give the same bits
# again.
[check]
reference = "entry"
entry = "elementwise_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = 'operation == "copy" ? 0 : operation == "triad" || operation == "clamp" ? 2 * N : N'
bytes = '(operation == "add" || operation == "triad" ? 3 : 2) * N * sizeof(dtype)'
*/
#include "bulk_copy.cuh"
#include "element_types.cuh"
#include "memory_access.cuh"

#define TWO_INPUTS (IS_ADD || IS_TRIAD)

using Word = WordOf<VECTOR * sizeof(dtype)>::Type;

union Pack {
  Word word;
  dtype item[VECTOR];
};

// What elements are computed in. Integers wrap round, which only unsigned ones do in C++.
#if IS_INTEGER
using Wide = unsigned long long;
__device__ __forceinline__ Wide to_wide(dtype element) { return static_cast<Wide>(element); }
__device__ __forceinline__ dtype from_wide(Wide value) { return static_cast<dtype>(value); }
#else
using Wide = Widened;
__device__ __forceinline__ Wide to_wide(dtype element) { return widen(element); }
__device__ __forceinline__ dtype from_wide(Wide value) { return narrow(value); }
#endif

__device__ __forceinline__ float multiply_add(float x, float y, float z) { return fmaf(x, y, z); }
__device__ __forceinline__ double multiply_add(double x, double y, double z) { return fma(x, y, z); }
__device__ __forceinline__ unsigned long long multiply_add(unsigned long long x, unsigned long long y,
                                                           unsigned long long z) {
  return x * y + z;
}

struct Scalars {
  dtype alpha, low, high;
};

#if !(IS_COPY || IS_SCALE || IS_ADD || IS_TRIAD)
// The bounds of relu and clamp, in a type that compares as the elements do. A NaN fails every comparison.
using Ordered = Widened;

#if CLAMP_MIN_MAX
// Of two values the larger or smaller one, a NaN if one is.
template <class T>
__device__ __forceinline__ T larger(T x, T bound) {
  return x < bound ? bound : x;
}
template <class T>
__device__ __forceinline__ T smaller(T x, T bound) {
  return x > bound ? bound : x;
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ __forceinline__ float larger(float x, float bound) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(bound));
  return result;
}
__device__ __forceinline__ float smaller(float x, float bound) {
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(bound));
  return result;
}
#endif
#endif

#if CLAMP_BIT_MASK
template <int bytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using Type = unsigned char;
};
template <>
struct BitsOf<2> {
  using Type = unsigned short;
};
template <>
struct BitsOf<4> {
  using Type = unsigned int;
};
template <>
struct BitsOf<8> {
  using Type = unsigned long long;
};
using Bits = BitsOf<sizeof(dtype)>::Type;
union Cast {
  dtype value;
  Bits bits;
};
__device__ __forceinline__ Bits bits_where(bool condition, dtype value) {
  Cast cast;
  cast.value = value;
  return static_cast<Bits>(cast.bits & (Bits(0) - Bits(condition)));
}
#endif

__device__ __forceinline__ dtype bounded(dtype element, const Scalars& scalars) {
  const Ordered x = widen(element);
#if IS_RELU
  const Ordered low = Ordered(0);
#else
  const Ordered low = widen(scalars.low);
  const Ordered high = widen(scalars.high);
#endif
#if CLAMP_MIN_MAX
#if IS_RELU
  return narrow(larger(x, low));
#else
  return narrow(smaller(larger(x, low), high));
#endif
#elif CLAMP_BIT_MASK
  Cast cast;
#if IS_RELU
  cast.bits = bits_where(!(x < low), element);
#else
  cast.bits = static_cast<Bits>(bits_where(x < low, scalars.low) | bits_where(x > high, scalars.high) |
                                bits_where(!(x < low) && !(x > high), element));
#endif
  return cast.value;
#elif CLAMP_BRANCH
  dtype result = element;
  if (x < low) {
    result = narrow(low);
  }
#if !IS_RELU
  else if (x > high) {
    result = scalars.high;
  }
#endif
  return result;
#else
#if IS_RELU
  return x < low ? narrow(low) : element;
#else
  return x < low ? scalars.low : x > high ? scalars.high : element;
#endif
#endif
}
#endif

__device__ __forceinline__ dtype result_of(dtype a, dtype b, const Scalars& scalars) {
#if IS_COPY
  return a;
#elif IS_SCALE
  return from_wide(to_wide(scalars.alpha) * to_wide(a));
#elif IS_ADD
  return from_wide(to_wide(a) + to_wide(b));
#elif IS_TRIAD
  return from_wide(multiply_add(to_wide(scalars.alpha), to_wide(b), to_wide(a)));
#else
  return bounded(a, scalars);
#endif
}

__device__ __forceinline__ Word result_of_words(Word a, Word b, const Scalars& scalars) {
#if IS_COPY
  return a;
#else
  Pack left, right, result;
  left.word = a;
  right.word = b;
#pragma unroll
  for (int j = 0; j < VECTOR; ++j) result.item[j] = result_of(left.item[j], right.item[j], scalars);
  return result.word;
#endif
}

#if STORE_BULK
[[maybe_unused]] constexpr StoreHint kStore = StoreHint::plain;
#else
[[maybe_unused]] constexpr StoreHint kStore = StoreHint::STORE;
#endif

constexpr int kTileWords = BLOCK * VECTORS_PER_THREAD;
constexpr long long kTile = static_cast<long long>(kTileWords) * VECTOR;  // elements

#if !PATH_REGISTERS
constexpr int kInputs = TWO_INPUTS ? 2 : 1;
#endif

#if PATH_REGISTERS
constexpr int kAlignment = sizeof(Word);

__device__ __forceinline__ void whole_tiles(const dtype* a, const dtype* b, dtype* c, const Scalars& scalars,
                                            long long tiles) {
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Word* a_words = reinterpret_cast<const Word*>(a + tile * kTile) + threadIdx.x;
    Word* c_words = reinterpret_cast<Word*>(c + tile * kTile) + threadIdx.x;
#if TWO_INPUTS
    const Word* b_words = reinterpret_cast<const Word*>(b + tile * kTile) + threadIdx.x;
#endif
    Word left[VECTORS_PER_THREAD], right[VECTORS_PER_THREAD];
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
      left[i] = load_word<LoadHint::LOAD, true>(a_words + i * BLOCK);
#if TWO_INPUTS
      right[i] = load_word<LoadHint::LOAD, true>(b_words + i * BLOCK);
#else
      right[i] = left[i];
#endif
    }
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i)
      store_word<kStore>(c_words + i * BLOCK, result_of_words(left[i], right[i], scalars));
#if ONE_TILE
    break;
#endif
  }
}

#elif PATH_CP_ASYNC
constexpr int kAlignment = sizeof(Word);

// A thread reads the vectors that it has copied itself: no barrier is needed.
__device__ __forceinline__ void whole_tiles(const dtype* a, const dtype* b, dtype* c, const Scalars& scalars,
                                            long long tiles) {
  extern __shared__ uint4 shared_words[];
  Word* ring = reinterpret_cast<Word*>(shared_words) + threadIdx.x;
  const auto begin_tile = [&](long long tile, int stage) {
    if (tile < tiles) {
      Word* target = ring + stage * (kInputs * kTileWords);
      const Word* a_words = reinterpret_cast<const Word*>(a + tile * kTile) + threadIdx.x;
#pragma unroll
      for (int i = 0; i < VECTORS_PER_THREAD; ++i) begin_copy(target + i * BLOCK, a_words + i * BLOCK);
#if TWO_INPUTS
      const Word* b_words = reinterpret_cast<const Word*>(b + tile * kTile) + threadIdx.x;
#pragma unroll
      for (int i = 0; i < VECTORS_PER_THREAD; ++i)
        begin_copy(target + kTileWords + i * BLOCK, b_words + i * BLOCK);
#endif
    }
    commit_copies();
  };

  long long next = blockIdx.x;
#pragma unroll
  for (int stage = 0; stage < STAGES; ++stage, next += gridDim.x) begin_tile(next, stage);
  int stage = 0;
#pragma unroll 1
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x, next += gridDim.x) {
    wait_for_copies<STAGES - 1>();
    const Word* words = ring + stage * (kInputs * kTileWords);
    Word* c_words = reinterpret_cast<Word*>(c + tile * kTile) + threadIdx.x;
    Word left[VECTORS_PER_THREAD], right[VECTORS_PER_THREAD];
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
      left[i] = words[i * BLOCK];
      right[i] = words[(kInputs - 1) * kTileWords + i * BLOCK];
    }
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i)
      store_word<kStore>(c_words + i * BLOCK, result_of_words(left[i], right[i], scalars));
    begin_tile(next, stage);
    stage = stage + 1 == STAGES ? 0 : stage + 1;
  }
}

#else
constexpr int kAlignment = 16;
constexpr unsigned kTileBytes = kTileWords * sizeof(Word);

// Begins to copy a tile of each input into a stage; `full` ends a phase when all of it has arrived. One thread calls
// it.
__device__ __forceinline__ void begin_tile(Word* stage, unsigned long long* full, const dtype* a,
                                           const dtype* b) {
  expect_bytes(full, kInputs * kTileBytes);
  begin_bulk_copy(stage, a, kTileBytes, full);
#if TWO_INPUTS
  begin_bulk_copy(stage + kTileWords, b, kTileBytes, full);
#endif
}

// All threads call it between their reads of a stage and the barrier after which a bulk copy refills it. Bulk copies
// write through another proxy of memory than that of loads. Without this fence they overtake loads whose values no
// instruction has used yet: on an H200, one launch in twenty was wrong.
[[maybe_unused]] __device__ __forceinline__ void order_reads_before_bulk_copy() {
#ifdef __CUDA_ARCH__
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

__device__ __forceinline__ void whole_tiles(const dtype* a, const dtype* b, dtype* c, const Scalars& scalars,
                                            long long tiles) {
  extern __shared__ uint4 shared_words[];
  __shared__ unsigned long long full[STAGES];
  Word* ring = reinterpret_cast<Word*>(shared_words);
  if (blockIdx.x >= tiles) return;
  long long next = blockIdx.x;  // the next tile to be copied into the ring
  if (threadIdx.x == 0) {
#pragma unroll
    for (int stage = 0; stage < STAGES; ++stage) set_up_barrier(full + stage);
#pragma unroll 1
    for (int stage = 0; stage < STAGES && next < tiles; ++stage, next += gridDim.x) {
      begin_tile(ring + stage * (kInputs * kTileWords), full + stage, a + next * kTile, b + next * kTile);
    }
  }
  __syncthreads();  // the barriers exist
#if IS_COPY && STORE_BULK
  if (threadIdx.x != 0)
    return;  // nothing to compute, and no barrier that would keep the others from falling behind
#endif

  int stage = 0;
  unsigned phase = 0;
#pragma unroll 1
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    Word* words = ring + stage * (kInputs * kTileWords);
    wait_for_phase(full + stage, phase);
#if STORE_BULK
#if !IS_COPY
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
      const int at = i * BLOCK + static_cast<int>(threadIdx.x);
      words[at] = result_of_words(words[at], words[(kInputs - 1) * kTileWords + at], scalars);
    }
    publish_for_bulk();
    __syncthreads();
#endif
    if (threadIdx.x == 0) {
      begin_bulk_store(c + tile * kTile, words, kTileBytes);
#if !ONE_TILE
      // The stage before this one takes the next tile once its own has left, which had a tile's time for it.
      if (tile >= gridDim.x && next < tiles) {
        wait_for_bulk_reads<1>();
        const int before = stage == 0 ? STAGES - 1 : stage - 1;
        begin_tile(ring + before * (kInputs * kTileWords), full + before, a + next * kTile, b + next * kTile);
        next += gridDim.x;
      }
#endif
    }
#else
    Word* c_words = reinterpret_cast<Word*>(c + tile * kTile) + threadIdx.x;
    words += threadIdx.x;
    Word left[VECTORS_PER_THREAD], right[VECTORS_PER_THREAD];
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
      left[i] = words[i * BLOCK];
      right[i] = words[(kInputs - 1) * kTileWords + i * BLOCK];
    }
#if !ONE_TILE
    order_reads_before_bulk_copy();
    __syncthreads();  // all have read the stage
    if (threadIdx.x == 0 && next < tiles) {
      begin_tile(ring + stage * (kInputs * kTileWords), full + stage, a + next * kTile, b + next * kTile);
      next += gridDim.x;
    }
#endif
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i)
      store_word<kStore>(c_words + i * BLOCK, result_of_words(left[i], right[i], scalars));
#endif
#if ONE_TILE
    break;
#else
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
#endif
  }
#if STORE_BULK
  if (threadIdx.x == 0) wait_for_bulk_reads<0>();
#endif
}
#endif

// No __restrict__: it would turn plain loads into read-only ones.
__global__ void __launch_bounds__(BLOCK)
    elementwise(const dtype* a, const dtype* b, dtype* c, dtype alpha, dtype low, dtype high, long long n) {
  const Scalars scalars = {alpha, low, high};
  size_t addresses = reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(c);
#if TWO_INPUTS
  addresses |= reinterpret_cast<size_t>(b);
#endif
  const long long tiles = addresses % kAlignment == 0 ? n / kTile : 0;
  whole_tiles(a, b, c, scalars, tiles);
  // What is left, by all blocks: less than a tile, or everything when the buffers are not aligned.
  const long long step = static_cast<long long>(gridDim.x) * BLOCK;
#pragma unroll 1
  for (long long i = tiles * kTile + static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x; i < n;
       i += step) {
#if TWO_INPUTS
    c[i] = result_of(a[i], b[i], scalars);
#else
    c[i] = result_of(a[i], a[i], scalars);
#endif
  }
}

#ifdef WARPTUNE_REFERENCE
// In the plainest form: relu and clamp say which values they replace.
__global__ void elementwise_reference(const dtype* a, const dtype* b, dtype* c, dtype alpha, dtype low,
                                      dtype high, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
#if IS_COPY
  c[i] = a[i];
#elif IS_SCALE
  c[i] = from_wide(to_wide(alpha) * to_wide(a[i]));
#elif IS_ADD
  c[i] = from_wide(to_wide(a[i]) + to_wide(b[i]));
#elif IS_TRIAD
  c[i] = from_wide(multiply_add(to_wide(alpha), to_wide(b[i]), to_wide(a[i])));
#else
  const Ordered x = widen(a[i]);
#if IS_RELU
  c[i] = x < Ordered(0) ? narrow(Ordered(0)) : a[i];
#else
  c[i] = a[i];
  if (x < widen(low)) c[i] = low;
  if (x > widen(high)) c[i] = high;
#endif
#endif
}
#endif
