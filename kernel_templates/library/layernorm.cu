/* warptune
[kernel]
name = "layernorm"
description = "out = (in - mean) / sqrt(variance + epsilon) * gamma + beta, row by row"
about = """
Layer normalisation of every row of a row-major matrix, in f32, f16 or bf16, computed in single precision: a row's mean is subtracted, it is
divided by its standard deviation (with epsilon added to the variance), and scaled and shifted by the vectors gamma and beta. Rows may have
any length. `rmsnorm` is the same kernel without mean and beta.

A row is taken by ROW_THREADS threads of a block, or of a cluster of CLUSTER blocks, which join their sums through shuffles, shared memory
and the shared memory of the other blocks. Between its readings a row is kept in registers, kept in shared memory, or left to the caches
(KEEP). A row in registers must be known at compile time: such a kernel is compiled for one number of columns. `joint` exchanges one pair of
sums, of the differences to the row's first element and of their squares, which loses no more than that element's distance from the mean;
`separate` forms the mean first and then the squares of the deviations.

Short rows want a warp or less each, rows of more than 16384 elements a cluster or the caches. gamma and beta come from the caches for every
row, unless a persistent block keeps them (WEIGHTS). Rows whose length VECTOR does not divide, and unaligned arrays, go element by element.
"""
vendor = "cuDNN's layer normalisation, forward inference (graph API)"
entry = "row_norm"

[kernel.defines]
WORDS = 'KEEP == "registers" ? ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS) : ITEMS'
IS_F16 = 'dtype == "f16"'
IS_BF16 = 'dtype == "bf16"'
IS_LAYERNORM = 'operation == "layernorm"'
KEEP_REGISTERS = 'KEEP == "registers"'
KEEP_SHARED = 'KEEP == "shared"'
JOINT = 'REDUCTION == "joint"'
WEIGHTS_EARLY = 'WEIGHTS == "early"'
WEIGHTS_KEPT = 'WEIGHTS == "kept"'
LOAD_ASYNC = 'LOAD == "async"'
LOAD_STREAMING = 'LOAD == "streaming"'
LOAD_PAST_L1 = 'LOAD == "no_allocate"'
STORE_STREAMING = 'STORE == "streaming"'
ONE_ROUND = "BLOCKS_PER_SM == 0"
MIN_BLOCKS = "max(1, THREADS_PER_SM / (ROW_THREADS * ROWS_PER_BLOCK))"

[problem]
ROWS = { value = 16384, description = "rows of the matrix" }
COLUMNS = { value = 4096, description = "elements of a row" }
dtype = { value = "f32", description = "type of the matrices and of gamma and beta" }
operation = { value = "layernorm", description = "layernorm, or rmsnorm: divided by the root of the mean square, without mean and beta" }

[problem_values]
dtype = ["f32", "f16", "bf16"]
operation = ["layernorm", "rmsnorm"]

[parameters]
ROW_THREADS = { values = [8, 16, 32, 64, 128, 256, 512, 1024], description = "threads of a block that share a row" }
ROWS_PER_BLOCK = { values = [1, 2, 4, 8, 16, 32], description = "rows of a block at a time" }
VECTOR = { values = [1, 2, 4, 8], description = "elements a load and a store" }
KEEP = { values = ["registers", "shared", "global"], description = "where a row is between its readings; global: it is loaded again, from the caches at best" }
ITEMS = { values = [1, 2, 4, 8], when = 'KEEP != "registers"', otherwise = 1, description = "vectors a thread has in flight" }
REDUCTION = { values = ["joint", "separate"], when = 'operation == "layernorm"', otherwise = "separate", description = "mean and variance are exchanged at once, or one after the other" }
CLUSTER = { values = [1, 2, 4, 8, 16], description = "blocks that share a row" }
BLOCKS_PER_SM = { values = [0, 1, 2, 4, 8, 16], description = "persistent blocks on an SM, each striding over the rows; 0: a block handles its rows and ends" }
THREADS_PER_SM = { values = [0, 768, 1024, 1536, 2048], description = "threads an SM must be able to hold: bounds the registers; 0: they are not bounded" }
LOAD = { values = ["plain", "streaming", "no_allocate", "async"], description = "loads through the read-only path, marked as used once, past the first-level cache, or as asynchronous copies to shared memory" }
STAGES = { values = [1, 2], when = 'LOAD == "async" && BLOCKS_PER_SM > 0', otherwise = 1, description = "rows in shared memory; with 2 the next is under way while one is worked on" }
STORE = { values = ["plain", "streaming"], description = "cache hint of stores" }
WEIGHTS = { values = ["late", "early", "kept"], description = "gamma and beta are loaded when they are needed, along with the row, or once a persistent block" }

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest access is 16 bytes" },
  { expression = "ROW_THREADS * ROWS_PER_BLOCK >= 64", reason = "blocks of one warp leave half of an SM empty" },
  { expression = "ROW_THREADS * ROWS_PER_BLOCK <= 1024", reason = "a block has at most 1024 threads" },
  { expression = "CLUSTER == 1 || device_compute_capability >= 90", reason = "clusters of blocks came with compute capability 9.0" },
  { expression = "CLUSTER <= 8 || device_compute_capability < 110", reason = "clusters of more than 8 blocks run on data-centre GPUs alone" },
  { expression = "CLUSTER == 1 || ROWS_PER_BLOCK == 1 && ROW_THREADS >= 128", reason = "a row that needs several blocks fills each" },
  { expression = "CLUSTER == 1 || CLUSTER * 4096 <= COLUMNS", reason = "the exchange between blocks costs more than a short row takes" },
  { expression = "ROW_THREADS * VECTOR * CLUSTER <= max(256, 2 * COLUMNS)", reason = "no more threads than a row has vectors for" },
  { expression = 'WEIGHTS == "late" || KEEP == "registers"', reason = "gamma and beta are held only where the row is, in registers" },
  { expression = 'WEIGHTS != "kept" || BLOCKS_PER_SM > 0', reason = "what is kept serves further rows" },
  { expression = 'KEEP != "registers" || ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS) * VECTOR <= 64', reason = "at most 64 registers hold a thread's part of the row" },
  { expression = 'WEIGHTS == "late" || ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS) * VECTOR * (4 + (operation == "layernorm" ? 2 : 1) * sizeof(dtype)) <= 384', reason = "at most 96 registers hold a thread's part of the row, gamma and beta" },
  { expression = 'KEEP != "registers" || ROW_THREADS * ROWS_PER_BLOCK * (ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS) * VECTOR * (WEIGHTS == "late" ? 1 : 1 + (operation == "layernorm" ? 2 : 1) * sizeof(dtype) / 4.0) + 28) <= device_registers_per_sm', reason = "the rows of a block fit into the registers" },
  { expression = 'KEEP == "registers" || COLUMNS >= 2 * ROW_THREADS * CLUSTER * VECTOR * ITEMS || ITEMS == 1', reason = "a thread's part of the row is at least two rounds" },
  { expression = 'KEEP == "registers" || COLUMNS <= 1024 * ROW_THREADS * CLUSTER || ROW_THREADS >= 256', reason = "a row is shared by threads enough" },
  { expression = 'KEEP == "registers" || ITEMS * VECTOR <= 32', reason = "at most 32 elements a thread are under way" },
  { expression = 'KEEP != "shared" || STAGES * ROWS_PER_BLOCK * ROW_THREADS * VECTOR * ITEMS * ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS * ITEMS) * sizeof(dtype) <= device_shared_bytes_per_block_optin - 1024 - ROWS_PER_BLOCK * ROW_THREADS * CLUSTER / 2', reason = "the rows fit into shared memory" },
  { expression = 'LOAD != "async" || KEEP == "shared" && VECTOR * sizeof(dtype) >= 4', reason = "asynchronous copies of 4, 8 or 16 bytes go to shared memory" },
  { expression = 'LOAD != "async" || device_compute_capability >= 80', reason = "asynchronous copies came with compute capability 8.0" },
  { expression = 'KEEP != "global" || LOAD == "plain"', reason = "a row that is loaded again had better stay in the caches" },
  { expression = "BLOCKS_PER_SM * ROW_THREADS * ROWS_PER_BLOCK <= device_max_threads_per_sm", reason = "persistent blocks must all be resident" },
  { expression = "THREADS_PER_SM == 0 || THREADS_PER_SM <= device_max_threads_per_sm && THREADS_PER_SM % (ROW_THREADS * ROWS_PER_BLOCK) == 0 && THREADS_PER_SM <= 16 * ROW_THREADS * ROWS_PER_BLOCK && THREADS_PER_SM >= BLOCKS_PER_SM * ROW_THREADS * ROWS_PER_BLOCK", reason = "an SM holds whole blocks, 16 at most everywhere, and no fewer than are asked for" },
  { expression = 'THREADS_PER_SM == 0 || (KEEP == "registers" ? ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS) : ITEMS) * VECTOR * (WEIGHTS == "late" ? 1 : 1 + (operation == "layernorm" ? 2 : 1) * sizeof(dtype) / 4.0) + 20 <= device_registers_per_sm / THREADS_PER_SM', reason = "so many threads leave registers enough for a thread's part of the row" },
]

[default]
ROW_THREADS = 256
ROWS_PER_BLOCK = 1
VECTOR = 1
KEEP = "global"
ITEMS = 1
REDUCTION = "separate"
CLUSTER = 1
BLOCKS_PER_SM = 0
THREADS_PER_SM = 0
LOAD = "plain"
STAGES = 1
STORE = "plain"
WEIGHTS = "late"

[launch]
grid = ["CLUSTER * (BLOCKS_PER_SM == 0 ? ceil_div(ROWS, ROWS_PER_BLOCK) : min(ceil_div(ROWS, ROWS_PER_BLOCK), max(1, BLOCKS_PER_SM * device_sm_count / CLUSTER)))"]
block = ["ROW_THREADS * ROWS_PER_BLOCK"]
cluster = ["CLUSTER"]
shared_bytes = 'KEEP == "shared" ? STAGES * ROWS_PER_BLOCK * ROW_THREADS * VECTOR * ITEMS * ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS * ITEMS) * sizeof(dtype) : 0'

# From -1 to 3, so that the mean matters.
[[argument]]
name = "in"
kind = "in"
type = "dtype"
count = "ROWS * COLUMNS"
init = { kind = "uniform", low = -1.0, high = 3.0, seed = 1 }

[[argument]]
name = "gamma"
kind = "in"
type = "dtype"
count = "COLUMNS"
init = { kind = "uniform", low = 0.5, high = 1.5, seed = 2 }

# rmsnorm reads none.
[[argument]]
name = "beta"
kind = "in"
type = "dtype"
count = 'operation == "layernorm" ? COLUMNS : 1'
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 3 }

[[argument]]
name = "out"
kind = "out"
type = "dtype"
count = "ROWS * COLUMNS"

[[argument]]
name = "rows"
kind = "scalar"
type = "i64"
value = "ROWS"

[[argument]]
name = "columns"
kind = "scalar"
type = "i32"
value = "COLUMNS"

[[argument]]
name = "epsilon"
kind = "scalar"
type = "f32"
value = "1e-5"

# With u = 2^-24: elements lie in [-1, 3]. A sum is a chain of at most COLUMNS / 8 additions whose roundings behave like a random walk, so mean and
# variance err by about sqrt(COLUMNS / 8) u relative to the sums' magnitudes, 181 u for 262144 columns. The variance is 4/3 in long rows, and the
# difference to the first element at most 4: sums of squares of up to 16 a element are reduced by what cancels to 4/3, which takes their
# error up 12 times at worst. In short rows the variance may be small: normalised values are at most sqrt(COLUMNS - 1) then, and the rounding of the
# mean, u, is divided by the root of the variance: with 2 columns that differ by 0.01, 200 u. Rows of values closer than that are rare but do occur among
# thousands of short rows; there epsilon bounds the divisor by 0.003, 316 u for each of three roundings of magnitude 3. 1e-4 (1678 u) covers both. The
# result, of magnitude below 6 in long rows, is rounded to its type by 2^-11 (f16) or 2^-8 (bf16) of itself: twice that.
[check]
reference = "entry"
entry = "row_norm_reference"
grid = ["ROWS"]
block = ["256"]
absolute = 1e-4
relative = '6e-8 * (100 + sqrt(COLUMNS)) + (dtype == "f16" ? 0.00098 : dtype == "bf16" ? 0.0079 : 0)'

# Two sums, or one of squares; subtraction, product, and gamma and beta.
[work]
flops = '(operation == "layernorm" ? 7 : 4) * ROWS * COLUMNS'
bytes = '(2 * ROWS + (operation == "layernorm" ? 2 : 1)) * COLUMNS * sizeof(dtype)'
*/
#if IS_F16
#include <cuda_fp16.h>
#elif IS_BF16
#include <cuda_bf16.h>
#endif

// The machine word of one access: 2 to 16 bytes.
template <int bytes> struct WordOf;
template <> struct WordOf<2> { using Type = unsigned short; };
template <> struct WordOf<4> { using Type = unsigned int; };
template <> struct WordOf<8> { using Type = uint2; };
template <> struct WordOf<16> { using Type = uint4; };
using Word = WordOf<VECTOR * sizeof(dtype)>::Type;
using Element = WordOf<sizeof(dtype)>::Type;  // an element as bits

union Pack {
  Word word;
  Element item[VECTOR];
};
union Number {
  Element bits;
  dtype value;
  __device__ __forceinline__ Number() {}
};

constexpr int kBlock = ROW_THREADS * ROWS_PER_BLOCK;
constexpr int kItems = WORDS * VECTOR;                       // elements of a thread at a time
constexpr int kLanes = ROW_THREADS < 32 ? ROW_THREADS : 32;  // of a warp that share a row

__device__ __forceinline__ float widen(Element bits) {
  Number number;
  number.bits = bits;
#if IS_F16
  return __half2float(number.value);
#elif IS_BF16
  return __bfloat162float(number.value);
#else
  return number.value;
#endif
}

__device__ __forceinline__ Element narrow(float value) {
  Number number;
#if IS_F16
  number.value = __float2half(value);
#elif IS_BF16
  number.value = __float2bfloat16(value);
#else
  number.value = value;
#endif
  return number.bits;
}

// Loads of 2 to 16 bytes that stay where they are written: loads of gamma and beta that move up to those of the row take its registers.
template <class T>
__device__ __forceinline__ T load_in_place(const T* source) {
#ifdef __CUDA_ARCH__
  T result;
  if constexpr (sizeof(T) == 16) {
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(result.x), "=r"(result.y), "=r"(result.z), "=r"(result.w)
                 : "l"(__cvta_generic_to_global(source)));
  } else if constexpr (sizeof(T) == 8) {
    asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(result.x), "=r"(result.y) : "l"(__cvta_generic_to_global(source)));
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(result) : "l"(__cvta_generic_to_global(source)));
  } else {
    asm volatile("ld.global.nc.u16 %0, [%1];" : "=h"(result) : "l"(__cvta_generic_to_global(source)));
  }
  return result;
#else
  return *source;
#endif
}

template <class T>
__device__ __forceinline__ T load(const T* source) {
#if LOAD_STREAMING
  return __ldcs(source);
#elif LOAD_PAST_L1 && defined(__CUDA_ARCH__)
  T result;
  if constexpr (sizeof(T) == 16) {
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(result.x), "=r"(result.y), "=r"(result.z), "=r"(result.w)
                 : "l"(__cvta_generic_to_global(source)));
  } else if constexpr (sizeof(T) == 8) {
    asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];"
                 : "=r"(result.x), "=r"(result.y)
                 : "l"(__cvta_generic_to_global(source)));
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(result) : "l"(__cvta_generic_to_global(source)));
  } else {
    asm volatile("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=h"(result) : "l"(__cvta_generic_to_global(source)));
  }
  return result;
#else
  return __ldg(source);
#endif
}

template <class T>
__device__ __forceinline__ void store(T* target, T value) {
#if STORE_STREAMING
  __stcs(target, value);
#else
  *target = value;
#endif
}

template <int lanes>
__device__ __forceinline__ float sum_of_lanes(float value) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

#if CLUSTER > 1
__device__ __forceinline__ void cluster_arrive() {
#ifdef __CUDA_ARCH__
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void cluster_wait() {
#ifdef __CUDA_ARCH__
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
// Writes to the same place of the shared memory of block `rank` of the cluster.
__device__ __forceinline__ void store_in_block(float2* place, int rank, float2 value) {
#ifdef __CUDA_ARCH__
  asm volatile("{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1; st.shared::cluster.v2.f32 [remote], {%2, %3}; }" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(place))),
               "r"(rank), "f"(value.x), "f"(value.y)
               : "memory");
#endif
}
#endif

// Gives every warp of the row every warp's value: lane i gets those of slots i, i + 32, ... Slots are used in turn by two exchanges: a warp
// may still read the last one's.
#if ROW_THREADS > 32
constexpr int kSlots = ROW_THREADS / 32 * CLUSTER;  // warps that share a row
constexpr int kGets = kSlots > 32 ? kSlots / 32 : 1;
constexpr int kGetLanes = kSlots < 32 ? kSlots : 32;

struct Exchange {
  float2* slots;  // of this row: two times kSlots
  int rank;
  int turn;

  __device__ __forceinline__ void put(float2 own) {
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % 32;
    float2* place = slots + turn * kSlots + rank * (ROW_THREADS / 32) + thread % ROW_THREADS / 32;
#if CLUSTER > 1
    if (lane < CLUSTER) store_in_block(place, lane, own);
    __syncwarp();
    cluster_arrive();
    cluster_wait();
#else
    if (lane == 0) *place = own;
    __syncthreads();
#endif
  }
  __device__ __forceinline__ float2 get(int i) const { return slots[turn * kSlots + (threadIdx.x % 32 + i * 32) % kSlots]; }
};
#else
struct Exchange {};
#endif

// Sums over the row: of both components, or of `y` alone.
template <bool both>
__device__ __forceinline__ float2 sums_of_row(float2 own, Exchange& exchange) {
  own = {both ? sum_of_lanes<kLanes>(own.x) : 0.0f, sum_of_lanes<kLanes>(own.y)};
#if ROW_THREADS > 32
  exchange.put(own);
  own = {0.0f, 0.0f};
#pragma unroll
  for (int i = 0; i < kGets; ++i) {
    const float2 other = exchange.get(i);
    own.x += other.x;
    own.y += other.y;
  }
  exchange.turn ^= 1;
  own = {both ? sum_of_lanes<kGetLanes>(own.x) : 0.0f, sum_of_lanes<kGetLanes>(own.y)};
#endif
  return own;
}

// A block's part of a row. A thread takes every ROW_THREADS-th word of it, or element where words would not be aligned.
struct Part {
  const dtype* in;
  dtype* out;
  const dtype* gamma;
  const dtype* beta;
  Element fill;  // what elements behind the part's end are taken for: the row's first element where differences to it are added, else 0
  int count;     // words or elements
  bool whole;
  int thread;  // among those of the row

  // Item `item` of batch `batch` of a thread: its place in the part, in words or elements.
  __device__ __forceinline__ int place(int batch, int item) const {
    return thread + ROW_THREADS * (whole ? batch * WORDS + item / VECTOR : batch * kItems + item);
  }
};

// Reads batch `batch` of a thread's share of `source`, whose first `part.count` words or elements exist; others are `fill`.
template <bool hinted>
__device__ __forceinline__ void read(Pack (&packs)[WORDS], const dtype* source, const Part& part, int batch, Element fill) {
#pragma unroll
  for (int i = 0; i < kItems; ++i) packs[i / VECTOR].item[i % VECTOR] = fill;
  if (part.whole) {
    const Word* words = reinterpret_cast<const Word*>(source);
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
      const int place = part.place(batch, i * VECTOR);
      if (place < part.count) packs[i].word = hinted ? load(words + place) : __ldg(words + place);
    }
  } else {
    const Element* elements = reinterpret_cast<const Element*>(source);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int place = part.place(batch, i);
      if (place < part.count) packs[i / VECTOR].item[i % VECTOR] = hinted ? load(elements + place) : __ldg(elements + place);
    }
  }
}

#if WEIGHTS_EARLY || WEIGHTS_KEPT
__device__ __forceinline__ void write(const Pack (&packs)[WORDS], const Part& part, int batch) {
  if (part.whole) {
    Word* words = reinterpret_cast<Word*>(part.out);
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
      const int place = part.place(batch, i * VECTOR);
      if (place < part.count) store(words + place, packs[i].word);
    }
  } else {
    Element* elements = reinterpret_cast<Element*>(part.out);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int place = part.place(batch, i);
      if (place < part.count) store(elements + place, packs[i / VECTOR].item[i % VECTOR]);
    }
  }
}

// gamma and beta of a batch.
struct Weights {
  Pack gamma[WORDS];
#if IS_LAYERNORM
  Pack beta[WORDS];
#endif
  __device__ __forceinline__ Weights() {}
  __device__ __forceinline__ void read_batch(const Part& part, int batch) {
    read<false>(gamma, part.gamma, part, batch, Element());
#if IS_LAYERNORM
    read<false>(beta, part.beta, part, batch, Element());
#endif
  }
};

#endif

__device__ __forceinline__ Element normalized(Element element, Element gamma, Element beta, float mean, float factor) {
#if IS_LAYERNORM
  return narrow(fmaf((widen(element) - mean) * factor, widen(gamma), widen(beta)));
#else
  return narrow(widen(element) * factor * widen(gamma));
#endif
}

#if WEIGHTS_EARLY || WEIGHTS_KEPT
__device__ __forceinline__ void finish(Pack (&packs)[WORDS], const Part& part, int batch, const Weights& weights, float mean, float factor) {
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    Element beta = Element();
#if IS_LAYERNORM
    beta = weights.beta[i / VECTOR].item[i % VECTOR];
#endif
    Element& element = packs[i / VECTOR].item[i % VECTOR];
    element = normalized(element, weights.gamma[i / VECTOR].item[i % VECTOR], beta, mean, factor);
  }
  write(packs, part, batch);
}
#else
// Word by word, or element by element, with gamma and beta as they are needed.
__device__ __forceinline__ void finish(Pack (&packs)[WORDS], const Part& part, int batch, float mean, float factor) {
  if (part.whole) {
    const int last = part.count > 0 ? part.count - 1 : 0;  // a load too many costs less than a branch
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
      const int place = part.place(batch, i * VECTOR);
      const int existing = place < last ? place : last;
      Pack gamma, beta;
      gamma.word = load_in_place(reinterpret_cast<const Word*>(part.gamma) + existing);
#if IS_LAYERNORM
      beta.word = load_in_place(reinterpret_cast<const Word*>(part.beta) + existing);
#else
      beta.word = Word();
#endif
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) packs[i].item[j] = normalized(packs[i].item[j], gamma.item[j], beta.item[j], mean, factor);
      if (place < part.count) store(reinterpret_cast<Word*>(part.out) + place, packs[i].word);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int place = part.place(batch, i);
      if (place >= part.count) continue;
      const Element gamma = __ldg(reinterpret_cast<const Element*>(part.gamma) + place);
      Element beta = Element();
#if IS_LAYERNORM
      beta = __ldg(reinterpret_cast<const Element*>(part.beta) + place);
#endif
      store(reinterpret_cast<Element*>(part.out) + place, normalized(packs[i / VECTOR].item[i % VECTOR], gamma, beta, mean, factor));
    }
  }
}
#endif

// Adds a batch's differences to `shift` to sums.x, and their squares to sums.y. Elements that do not exist add nothing: they equal `shift`
// where nothing else is said.
template <bool checked>
__device__ __forceinline__ void add(float2& sums, const Pack (&packs)[WORDS], const Part& part, int batch, float shift) {
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const float value = widen(packs[i / VECTOR].item[i % VECTOR]);
    const float difference = !checked || part.place(batch, i) < part.count ? value - shift : 0.0f;
    sums.x += difference;
    sums.y = fmaf(difference, difference, sums.y);
  }
}

#if KEEP_SHARED
// Copies a thread's part into its places in shared memory, where no other thread reads it: no barrier is needed.
__device__ __forceinline__ void fetch(Word* kept, const Part& part) {
  if (part.whole) {
#if LOAD_ASYNC
    const Word* source = reinterpret_cast<const Word*>(part.in);
#pragma unroll 4
    for (int i = part.thread; i < part.count; i += ROW_THREADS) {
#ifdef __CUDA_ARCH__
      const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(kept + i));
      if constexpr (sizeof(Word) == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(source + i)) : "memory");
      } else if constexpr (sizeof(Word) >= 4) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(__cvta_generic_to_global(source + i)),
                     "n"(static_cast<int>(sizeof(Word)))
                     : "memory");
      }
#else
      kept[i] = source[i];
#endif
    }
#else
    for (int batch = 0; batch * WORDS * ROW_THREADS < part.count; ++batch) {
      Pack packs[WORDS];
      read<true>(packs, part.in, part, batch, part.fill);
#pragma unroll
      for (int i = 0; i < WORDS; ++i) kept[part.place(batch, i * VECTOR)] = packs[i].word;
    }
#endif
  } else {
    const Element* source = reinterpret_cast<const Element*>(part.in);
    Element* target = reinterpret_cast<Element*>(kept);
#pragma unroll 4
    for (int i = part.thread; i < part.count; i += ROW_THREADS) target[i] = load(source + i);
  }
#if LOAD_ASYNC && defined(__CUDA_ARCH__)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_row() {
#if LOAD_ASYNC && defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
#endif
}
#endif

// A row as its passes see it: batches that are in registers, in shared memory or in global memory.
struct Row {
  const Part& part;
  const Word* kept;
  int batches;
  Pack packs[WORDS];

  __device__ __forceinline__ Row(const Part& of, const Word* copy) : part(of), kept(copy) {
#if KEEP_REGISTERS
    batches = 1;
    read<true>(packs, part.in, part, 0, part.fill);
#else
    const int units = (part.whole ? WORDS : kItems) * ROW_THREADS;
    batches = (part.count + units - 1) / units;
#endif
  }
  __device__ __forceinline__ void take(int batch) {
#if KEEP_SHARED
#pragma unroll
    for (int i = 0; i < kItems; ++i) packs[i / VECTOR].item[i % VECTOR] = part.fill;
    if (part.whole) {
#pragma unroll
      for (int i = 0; i < WORDS; ++i) {
        const int place = part.place(batch, i * VECTOR);
        if (place < part.count) packs[i].word = kept[place];
      }
    } else {
      const Element* elements = reinterpret_cast<const Element*>(kept);
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        const int place = part.place(batch, i);
        if (place < part.count) packs[i / VECTOR].item[i % VECTOR] = elements[place];
      }
    }
#elif !KEEP_REGISTERS
    read<true>(packs, part.in, part, batch, part.fill);
#endif
  }
};

template <bool checked>
__device__ __forceinline__ float2 own_sums(Row& row, float shift) {
  float2 sums = {0.0f, 0.0f};
  for (int batch = 0; batch < row.batches; ++batch) {
    row.take(batch);
    add<checked>(sums, row.packs, row.part, batch, shift);
  }
  return sums;
}

__global__ void __launch_bounds__(kBlock, MIN_BLOCKS)
    row_norm(const dtype* __restrict__ in, const dtype* __restrict__ gamma, const dtype* __restrict__ beta, dtype* __restrict__ out,
             long long rows, int columns, float epsilon) {
  const int thread = static_cast<int>(threadIdx.x);
  const int row_of_block = thread / ROW_THREADS;
  const int rank = static_cast<int>(blockIdx.x % CLUSTER);
#if ROW_THREADS > 32
  __shared__ float2 slots[2 * ROWS_PER_BLOCK * kSlots];
  Exchange exchange = {slots + row_of_block * 2 * kSlots, rank, 0};
#else
  Exchange exchange;
#endif
#if CLUSTER > 1
  cluster_arrive();  // the other blocks' shared memory is there once they have started
  cluster_wait();
#endif

  size_t addresses = reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out) | reinterpret_cast<size_t>(gamma);
#if IS_LAYERNORM
  addresses |= reinterpret_cast<size_t>(beta);
#endif
  const bool whole = columns % VECTOR == 0 && addresses % sizeof(Word) == 0;
  const int units = whole ? columns / VECTOR : columns;
  const int share = (units + CLUSTER - 1) / CLUSTER;
  const int left = units - rank * share;
  const int first_column = left > 0 ? rank * share * (whole ? VECTOR : 1) : 0;
  const float weight = 1.0f / static_cast<float>(columns);  // of an element in a mean
  const auto part_of = [&](long long first_row) {
    const long long row = first_row + row_of_block;
    const long long at = row * columns + first_column;
    Part part = {in + at, out + at, gamma + first_column, beta + first_column, Element(), 0, whole, thread % ROW_THREADS};
    if (row < rows && left > 0) part.count = left < share ? left : share;
#if IS_LAYERNORM && JOINT
    if (row < rows) part.fill = reinterpret_cast<const Element*>(in)[row * columns];
#endif
    return part;
  };

  const long long step = static_cast<long long>(gridDim.x / CLUSTER) * ROWS_PER_BLOCK;
  long long first_row = static_cast<long long>(blockIdx.x / CLUSTER) * ROWS_PER_BLOCK;
#if KEEP_SHARED
  extern __shared__ uint4 shared_words[];
  const int pitch = (columns + VECTOR * CLUSTER * WORDS * ROW_THREADS - 1) / (VECTOR * CLUSTER * WORDS * ROW_THREADS) * WORDS * ROW_THREADS;
  Word* kept = reinterpret_cast<Word*>(shared_words) + row_of_block * pitch;
#if STAGES == 2
  Word* next_kept = kept + ROWS_PER_BLOCK * pitch;
  fetch(kept, part_of(first_row));
#endif
#else
  Word* kept = nullptr;
#endif
#if WEIGHTS_EARLY || WEIGHTS_KEPT
  Weights weights;
#endif
#if WEIGHTS_KEPT
  {
    Part all = part_of(0);
    all.count = left < share ? left : share;  // rows that do not exist need none, but later ones may
    weights.read_batch(all, 0);
  }
#endif

  for (; first_row < rows; first_row += step) {
    const Part part = part_of(first_row);
#if KEEP_SHARED
#if STAGES == 2
    fetch(next_kept, part_of(first_row + step));
#else
    fetch(kept, part);
#endif
    wait_for_row();
#endif
    Row row(part, kept);
#if WEIGHTS_EARLY
    weights.read_batch(part, 0);
#endif
    float mean = 0.0f;
#if !IS_LAYERNORM
    const float variance = sums_of_row<false>(own_sums<false>(row, 0.0f), exchange).y * weight;
#elif JOINT
    const float first = widen(part.fill);
    const float2 sums = sums_of_row<true>(own_sums<false>(row, first), exchange);
    const float of_differences = sums.x * weight;
    mean = first + of_differences;
    const float variance = fmaxf(sums.y * weight - of_differences * of_differences, 0.0f);
#else
    const float2 plain = own_sums<false>(row, 0.0f);
    mean = sums_of_row<false>({0.0f, plain.x}, exchange).y * weight;
    const float variance = sums_of_row<false>(own_sums<true>(row, mean), exchange).y * weight;
#endif
    const float factor = rsqrtf(variance + epsilon);
    for (int batch = 0; batch < row.batches; ++batch) {
      row.take(batch);
#if WEIGHTS_EARLY || WEIGHTS_KEPT
      finish(row.packs, part, batch, weights, mean, factor);
#else
      finish(row.packs, part, batch, mean, factor);
#endif
    }
#if KEEP_SHARED && STAGES == 2
    Word* const done = kept;
    kept = next_kept;
    next_kept = done;
#endif
#if ONE_ROUND
    break;
#endif
  }
}

#ifdef WARPTUNE_REFERENCE
// A block of 256 threads a row, in double.
__global__ void row_norm_reference(const dtype* in, const dtype* gamma, const dtype* beta, dtype* out, long long, int columns, float epsilon) {
  __shared__ double shared[256];
  const Element* from = reinterpret_cast<const Element*>(in) + static_cast<long long>(blockIdx.x) * columns;
  Element* to = reinterpret_cast<Element*>(out) + static_cast<long long>(blockIdx.x) * columns;
  const int thread = static_cast<int>(threadIdx.x);
  double mean = 0.0;
#if IS_LAYERNORM
  for (int i = thread; i < columns; i += 256) mean += static_cast<double>(widen(from[i]));
  shared[thread] = mean;
  __syncthreads();
  mean = 0.0;
  for (int i = 0; i < 256; ++i) mean += shared[i];
  mean /= columns;
  __syncthreads();
#endif
  double squares = 0.0;
  for (int i = thread; i < columns; i += 256) {
    const double deviation = static_cast<double>(widen(from[i])) - mean;
    squares += deviation * deviation;
  }
  shared[thread] = squares;
  __syncthreads();
  squares = 0.0;
  for (int i = 0; i < 256; ++i) squares += shared[i];
  const double factor = 1.0 / sqrt(squares / columns + static_cast<double>(epsilon));
  for (int i = thread; i < columns; i += 256) {
    double value = (static_cast<double>(widen(from[i])) - mean) * factor * static_cast<double>(widen(reinterpret_cast<const Element*>(gamma)[i]));
#if IS_LAYERNORM
    value += static_cast<double>(widen(reinterpret_cast<const Element*>(beta)[i]));
#endif
    to[i] = narrow(static_cast<float>(value));
  }
}
#endif
