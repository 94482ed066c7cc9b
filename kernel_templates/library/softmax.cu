/* warptune
[kernel]
name = "softmax"
description = "out = exp(in - max) / sum(exp(in - max)), row by row"
about = """
The softmax of every row of a row-major matrix, in f32, f16 or bf16, computed in single precision and stable: a row's maximum is
subtracted before the exponential is taken. Rows may have any length.

A row is taken by ROW_THREADS threads of a block, or of a cluster of CLUSTER blocks, which join their maxima and sums through shuffles,
shared memory and the shared memory of the other blocks. Between the two readings of a row it is kept in registers, kept in shared
memory, or left to the caches (KEEP). A row in registers must be known at compile time: such a kernel is compiled for one number of columns.
`joint` exchanges maximum and sum at once (each thread sums against its own maximum and rescales), `separate` first the maximum, then the sum.

At least 2 * ROWS * COLUMNS elements move through memory, and nothing else should matter: short rows want a warp or less each, rows of more
than 16384 elements a cluster or the caches. Rows whose length VECTOR does not divide, and unaligned matrices, go element by element.
"""
vendor = "cudnnSoftmaxForward with CUDNN_SOFTMAX_ACCURATE"
entry = "softmax"

[kernel.defines]
WORDS = 'KEEP == "registers" ? ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS) : ITEMS'
IS_F16 = 'dtype == "f16"'
IS_BF16 = 'dtype == "bf16"'
KEEP_REGISTERS = 'KEEP == "registers"'
KEEP_SHARED = 'KEEP == "shared"'
JOINT = 'REDUCTION == "joint"'
LOAD_ASYNC = 'LOAD == "async"'
LOAD_STREAMING = 'LOAD == "streaming"'
LOAD_PAST_L1 = 'LOAD == "no_allocate"'
STORE_STREAMING = 'STORE == "streaming"'
EXPONENTIAL_FAST = 'EXPONENTIAL == "fast"'
EXPONENTIAL_BASE_2 = 'EXPONENTIAL == "base_2"'
ONE_ROUND = "BLOCKS_PER_SM == 0"
MIN_BLOCKS = "max(1, THREADS_PER_SM / (ROW_THREADS * ROWS_PER_BLOCK))"

[problem]
ROWS = { value = 16384, description = "rows of the matrix" }
COLUMNS = { value = 4096, description = "elements of a row" }
dtype = { value = "f32", description = "type of the matrices" }

[problem_values]
dtype = ["f32", "f16", "bf16"]

[parameters]
ROW_THREADS = { values = [8, 16, 32, 64, 128, 256, 512, 1024], description = "threads of a block that share a row" }
ROWS_PER_BLOCK = { values = [1, 2, 4, 8, 16, 32], description = "rows of a block at a time" }
VECTOR = { values = [1, 2, 4, 8], description = "elements a load and a store" }
KEEP = { values = ["registers", "shared", "global"], description = "where a row is between its readings; global: it is loaded again, from the caches at best" }
ITEMS = { values = [1, 2, 4, 8], when = 'KEEP != "registers"', otherwise = 1, description = "vectors a thread has in flight" }
REDUCTION = { values = ["joint", "separate"], description = "maximum and sum are exchanged at once, or one after the other" }
CLUSTER = { values = [1, 2, 4, 8, 16], description = "blocks that share a row" }
BLOCKS_PER_SM = { values = [0, 1, 2, 4, 8, 16], description = "persistent blocks on an SM, each striding over the rows; 0: a block handles its rows and ends" }
THREADS_PER_SM = { values = [0, 768, 1024, 1536, 2048], description = "threads an SM must be able to hold: bounds the registers; 0: they are not bounded" }
LOAD = { values = ["plain", "streaming", "no_allocate", "async"], description = "loads through the read-only path, marked as used once, past the first-level cache, or as asynchronous copies to shared memory" }
STAGES = { values = [1, 2], when = 'LOAD == "async" && BLOCKS_PER_SM > 0', otherwise = 1, description = "rows in shared memory; with 2 the next is under way while one is worked on" }
STORE = { values = ["plain", "streaming"], description = "cache hint of stores" }
EXPONENTIAL = { values = ["accurate", "fast", "base_2"], description = "expf, __expf, or 2 to a power whose factor is folded into the subtraction" }

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
  { expression = 'KEEP != "registers" || ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS) * VECTOR <= 64', reason = "at most 64 registers hold a thread's part of the row" },
  { expression = 'KEEP != "registers" || ROW_THREADS * ROWS_PER_BLOCK * (ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS) * VECTOR + 28) <= device_registers_per_sm', reason = "the rows of a block fit into the registers" },
  { expression = 'KEEP == "registers" || COLUMNS >= 2 * ROW_THREADS * CLUSTER * VECTOR * ITEMS || ITEMS == 1', reason = "a thread's part of the row is at least two rounds" },
  { expression = 'KEEP == "registers" || COLUMNS <= 1024 * ROW_THREADS * CLUSTER || ROW_THREADS >= 256', reason = "a row is shared by threads enough" },
  { expression = 'KEEP == "registers" || ITEMS * VECTOR <= 32', reason = "at most 32 elements a thread are under way" },
  { expression = 'KEEP != "shared" || STAGES * ROWS_PER_BLOCK * ROW_THREADS * VECTOR * ITEMS * ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS * ITEMS) * sizeof(dtype) <= device_shared_bytes_per_block_optin - 1024 - ROWS_PER_BLOCK * ROW_THREADS * CLUSTER / 2', reason = "the rows fit into shared memory" },
  { expression = 'LOAD != "async" || KEEP == "shared" && VECTOR * sizeof(dtype) >= 4', reason = "asynchronous copies of 4, 8 or 16 bytes go to shared memory" },
  { expression = 'LOAD != "async" || device_compute_capability >= 80', reason = "asynchronous copies came with compute capability 8.0" },
  { expression = 'KEEP != "global" || LOAD == "plain"', reason = "a row that is loaded again had better stay in the caches" },
  { expression = "BLOCKS_PER_SM * ROW_THREADS * ROWS_PER_BLOCK <= device_max_threads_per_sm", reason = "persistent blocks must all be resident" },
  { expression = "THREADS_PER_SM == 0 || THREADS_PER_SM <= device_max_threads_per_sm && THREADS_PER_SM % (ROW_THREADS * ROWS_PER_BLOCK) == 0 && THREADS_PER_SM <= 16 * ROW_THREADS * ROWS_PER_BLOCK && THREADS_PER_SM >= BLOCKS_PER_SM * ROW_THREADS * ROWS_PER_BLOCK", reason = "an SM holds whole blocks, 16 at most everywhere, and no fewer than are asked for" },
  { expression = 'THREADS_PER_SM == 0 || (KEEP == "registers" ? ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS) : ITEMS) * VECTOR + 20 <= device_registers_per_sm / THREADS_PER_SM', reason = "so many threads leave registers enough for a thread's part of the row" },
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
EXPONENTIAL = "accurate"

[launch]
grid = ["CLUSTER * (BLOCKS_PER_SM == 0 ? ceil_div(ROWS, ROWS_PER_BLOCK) : min(ceil_div(ROWS, ROWS_PER_BLOCK), max(1, BLOCKS_PER_SM * device_sm_count / CLUSTER)))"]
block = ["ROW_THREADS * ROWS_PER_BLOCK"]
cluster = ["CLUSTER"]
shared_bytes = 'KEEP == "shared" ? STAGES * ROWS_PER_BLOCK * ROW_THREADS * VECTOR * ITEMS * ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), ROW_THREADS * ITEMS) * sizeof(dtype) : 0'

# From -8 to 8: without the maximum's subtraction a sum would still be finite, but weights span seven powers of ten.
[[argument]]
name = "in"
kind = "in"
type = "dtype"
count = "ROWS * COLUMNS"
init = { kind = "uniform", low = -8.0, high = 8.0, seed = 1 }

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

# With u = 2^-24 and |x| <= 8 the argument of an exponential is at most 16, or 24 to the base 2; it is rounded twice (the product with log2(e)
# and the subtraction), which errs by 24 * 2 u in base 2, 33 u in the result; the exponential itself errs by 2 u more, and the rescaling of joint sums by as much
# again (the exponents of a row's rescalings add up to 24 at most, and where the maximum stays the factor is exactly 1): 70 u. All terms of a sum are positive: its relative error is at most the terms' own plus u for each addition of the longest chain,
# of COLUMNS / 8 terms at worst, which behave like a random walk: sqrt(COLUMNS / 8) u, 181 u for 262144 columns. 200 + sqrt(COLUMNS) covers both.
# The result is rounded to its type, by half a unit in the last place at most: 2^-11 in f16, 2^-8 in bf16, and 2^-25 absolute where f16 has no
# normal numbers. Twice that, since the error before may move it over an edge.
[check]
reference = "entry"
entry = "softmax_reference"
grid = ["ROWS"]
block = ["256"]
absolute = 'dtype == "f16" ? 6e-8 : 0'
relative = '6e-8 * (200 + sqrt(COLUMNS)) + (dtype == "f16" ? 0.00098 : dtype == "bf16" ? 0.0079 : 0)'

# Subtraction, exponential, addition and product.
[work]
flops = "4 * ROWS * COLUMNS"
bytes = "2 * ROWS * COLUMNS * sizeof(dtype)"
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

__device__ __forceinline__ float lowest() { return __int_as_float(static_cast<int>(0xff800000u)); }  // minus infinity

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

#if EXPONENTIAL_BASE_2
constexpr float kLog2E = 1.4426950408889634f;

__device__ __forceinline__ float power_of_two(float exponent) {
#ifdef __CUDA_ARCH__
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(exponent));
  return result;
#else
  return exp2f(exponent);
#endif
}
#endif

// What `exponential` subtracts for a maximum. A thread, or a row, of nothing but minus infinity has no maximum to subtract.
__device__ __forceinline__ float shift_of(float maximum) {
  const float finite = maximum == lowest() ? 0.0f : maximum;
#if EXPONENTIAL_BASE_2
  return finite * kLog2E;
#else
  return finite;
#endif
}

__device__ __forceinline__ float exponential(float value, float shift) {
#if EXPONENTIAL_BASE_2
  return power_of_two(fmaf(value, kLog2E, -shift));
#elif EXPONENTIAL_FAST && defined(__CUDA_ARCH__)
  return __expf(value - shift);
#else
  return expf(value - shift);
#endif
}

// What makes a sum of exponentials against the maximum `from` one against `to`. It is exactly 1 where the two are equal: a thread rescales its
// sum with every batch, and a factor that is off by one rounding would be raised to the power of the batches.
__device__ __forceinline__ float rescaling(float from, float to) {
#if EXPONENTIAL_BASE_2
  return power_of_two((from - (to == lowest() ? 0.0f : to)) * kLog2E);
#else
  return exponential(from, shift_of(to));
#endif
}

template <int lanes>
__device__ __forceinline__ float max_of_lanes(float value) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

template <int lanes>
__device__ __forceinline__ float sum_of_lanes(float value) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

// The maximum and the sum of exponentials against it, of a part of a row.
struct Partial {
  float maximum, sum;
};

template <int lanes>
__device__ __forceinline__ Partial join_lanes(Partial own) {
  const float maximum = max_of_lanes<lanes>(own.maximum);
  return {maximum, sum_of_lanes<lanes>(own.sum * rescaling(own.maximum, maximum))};
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

__device__ __forceinline__ float max_of_row(float own, Exchange& exchange) {
  own = max_of_lanes<kLanes>(own);
#if ROW_THREADS > 32
  exchange.put({own, 0.0f});
#pragma unroll
  for (int i = 0; i < kGets; ++i) own = fmaxf(own, exchange.get(i).x);
  exchange.turn ^= 1;
  own = max_of_lanes<kGetLanes>(own);
#endif
  return own;
}

__device__ __forceinline__ float sum_of_row(float own, Exchange& exchange) {
  own = sum_of_lanes<kLanes>(own);
#if ROW_THREADS > 32
  exchange.put({own, 0.0f});
  own = 0.0f;
#pragma unroll
  for (int i = 0; i < kGets; ++i) own += exchange.get(i).x;
  exchange.turn ^= 1;
  own = sum_of_lanes<kGetLanes>(own);
#endif
  return own;
}

__device__ __forceinline__ Partial join_row(Partial own, Exchange& exchange) {
  own = join_lanes<kLanes>(own);
#if ROW_THREADS > 32
  exchange.put({own.maximum, own.sum});
  float2 others[kGets];
  own.maximum = lowest();
#pragma unroll
  for (int i = 0; i < kGets; ++i) {
    others[i] = exchange.get(i);
    own.maximum = fmaxf(own.maximum, others[i].x);
  }
  own.sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kGets; ++i) own.sum += others[i].y * rescaling(others[i].x, own.maximum);
  exchange.turn ^= 1;
  own = join_lanes<kGetLanes>(own);
#endif
  return own;
}

// A block's part of a row. A thread takes every ROW_THREADS-th word of it, or element where words would not be aligned.
struct Part {
  const dtype* in;
  dtype* out;
  int count;  // words or elements
  bool whole;
  int thread;  // among those of the row

  // Item `item` of batch `batch` of a thread: its place in the part, in words or elements.
  __device__ __forceinline__ int place(int batch, int item) const {
    return thread + ROW_THREADS * (whole ? batch * WORDS + item / VECTOR : batch * kItems + item);
  }
};

// Reads a batch of a thread's share of the part itself, or of `kept`, its copy in shared memory. What lies outside is minus infinity.
template <bool from_kept>
__device__ __forceinline__ void read(float (&values)[kItems], const Part& part, const Word* kept, int batch) {
  if (part.whole) {
    const Element outside = narrow(lowest());
    Pack packs[WORDS];
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
      const int place = part.place(batch, i * VECTOR);
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) packs[i].item[j] = outside;
      if (place < part.count) packs[i].word = from_kept ? kept[place] : load(reinterpret_cast<const Word*>(part.in) + place);
    }
#pragma unroll
    for (int i = 0; i < kItems; ++i) values[i] = widen(packs[i / VECTOR].item[i % VECTOR]);
  } else {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int place = part.place(batch, i);
      values[i] = lowest();
      if (place < part.count) {
        values[i] = widen(from_kept ? reinterpret_cast<const Element*>(kept)[place] : load(reinterpret_cast<const Element*>(part.in) + place));
      }
    }
  }
}

__device__ __forceinline__ void write(const float (&values)[kItems], const Part& part, int batch) {
  if (part.whole) {
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
      Pack pack;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) pack.item[j] = narrow(values[i * VECTOR + j]);
      const int place = part.place(batch, i * VECTOR);
      if (place < part.count) store(reinterpret_cast<Word*>(part.out) + place, pack.word);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int place = part.place(batch, i);
      if (place < part.count) store(reinterpret_cast<Element*>(part.out) + place, narrow(values[i]));
    }
  }
}

#if KEEP_SHARED
// Copies a thread's part into its places in shared memory, where no other thread reads it: no barrier is needed.
__device__ __forceinline__ void fetch(Word* kept, const Part& part) {
  if (part.whole) {
    const Word* source = reinterpret_cast<const Word*>(part.in);
#if LOAD_ASYNC
#pragma unroll 4
    for (int i = part.thread; i < part.count; i += ROW_THREADS) {
#ifdef __CUDA_ARCH__
      const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(kept + i));
      if constexpr (sizeof(Word) == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(source + i)) : "memory");
      } else if constexpr (sizeof(Word) >= 4) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(__cvta_generic_to_global(source + i)), "n"(static_cast<int>(sizeof(Word))) : "memory");
      }
#else
      kept[i] = source[i];
#endif
    }
#else
    for (int batch = 0; batch * WORDS * ROW_THREADS < part.count; ++batch) {
      Word words[WORDS];
#pragma unroll
      for (int i = 0; i < WORDS; ++i) {
        const int place = part.place(batch, i * VECTOR);
        if (place < part.count) words[i] = load(source + place);
      }
#pragma unroll
      for (int i = 0; i < WORDS; ++i) kept[part.place(batch, i * VECTOR)] = words[i];
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

#if KEEP_REGISTERS
__device__ __forceinline__ void softmax_of_row(const Part& part, const Word*, Exchange& exchange) {
  float values[kItems];
  read<false>(values, part, nullptr, 0);
  float maximum = values[0];
#pragma unroll
  for (int i = 1; i < kItems; ++i) maximum = fmaxf(maximum, values[i]);
#if !JOINT
  maximum = max_of_row(maximum, exchange);
#endif
  const float shift = shift_of(maximum);
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    values[i] = exponential(values[i], shift);
    sum += values[i];
  }
#if JOINT
  const Partial row = join_row({maximum, sum}, exchange);
  const float factor = rescaling(maximum, row.maximum) * (1.0f / row.sum);
#else
  const float factor = 1.0f / sum_of_row(sum, exchange);
#endif
#pragma unroll
  for (int i = 0; i < kItems; ++i) values[i] *= factor;
  write(values, part, 0);
}
#else
__device__ __forceinline__ void softmax_of_row(const Part& part, const Word* kept, Exchange& exchange) {
  constexpr bool kKept = KEEP_SHARED;
  const int batch_units = (part.whole ? WORDS : kItems) * ROW_THREADS;
  const int batches = (part.count + batch_units - 1) / batch_units;
  float values[kItems];
  Partial row = {lowest(), 0.0f};
#if JOINT
  for (int batch = 0; batch < batches; ++batch) {
    read<kKept>(values, part, kept, batch);
    float maximum = row.maximum;
#pragma unroll
    for (int i = 0; i < kItems; ++i) maximum = fmaxf(maximum, values[i]);
    const float shift = shift_of(maximum);
    row.sum *= rescaling(row.maximum, maximum);
    row.maximum = maximum;
#pragma unroll
    for (int i = 0; i < kItems; ++i) row.sum += exponential(values[i], shift);
  }
  row = join_row(row, exchange);
  const float shift = shift_of(row.maximum);
#else
  for (int batch = 0; batch < batches; ++batch) {
    read<kKept>(values, part, kept, batch);
#pragma unroll
    for (int i = 0; i < kItems; ++i) row.maximum = fmaxf(row.maximum, values[i]);
  }
  row.maximum = max_of_row(row.maximum, exchange);
  const float shift = shift_of(row.maximum);
  for (int batch = 0; batch < batches; ++batch) {
    read<kKept>(values, part, kept, batch);
#pragma unroll
    for (int i = 0; i < kItems; ++i) row.sum += exponential(values[i], shift);
  }
  row.sum = sum_of_row(row.sum, exchange);
#endif
  const float factor = 1.0f / row.sum;
  for (int batch = 0; batch < batches; ++batch) {
    read<kKept>(values, part, kept, batch);
#pragma unroll
    for (int i = 0; i < kItems; ++i) values[i] = exponential(values[i], shift) * factor;
    write(values, part, batch);
  }
}
#endif

__global__ void __launch_bounds__(kBlock, MIN_BLOCKS) softmax(const dtype* __restrict__ in, dtype* __restrict__ out, long long rows, int columns) {
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

  const bool whole = columns % VECTOR == 0 && (reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out)) % sizeof(Word) == 0;
  const int units = whole ? columns / VECTOR : columns;
  const int share = (units + CLUSTER - 1) / CLUSTER;
  const int left = units - rank * share;
  const auto part_of = [&](long long first_row) {
    const long long row = first_row + row_of_block;
    const long long at = row * columns + rank * share * (whole ? VECTOR : 1);
    Part part = {in + at, out + at, 0, whole, thread % ROW_THREADS};
    if (row < rows && left > 0) part.count = left < share ? left : share;
    return part;
  };

  const long long step = static_cast<long long>(gridDim.x / CLUSTER) * ROWS_PER_BLOCK;
  long long first_row = static_cast<long long>(blockIdx.x / CLUSTER) * ROWS_PER_BLOCK;
#if KEEP_SHARED
  extern __shared__ uint4 shared_words[];
  const int batches = (columns + VECTOR * CLUSTER * WORDS * ROW_THREADS - 1) / (VECTOR * CLUSTER * WORDS * ROW_THREADS);
  const int pitch = batches * WORDS * ROW_THREADS;  // words of a row in shared memory
  Word* kept = reinterpret_cast<Word*>(shared_words) + row_of_block * pitch;
#if STAGES == 2
  Word* next_kept = kept + ROWS_PER_BLOCK * pitch;
  fetch(kept, part_of(first_row));
#endif
#else
  const Word* kept = nullptr;
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
    softmax_of_row(part, kept, exchange);
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
__global__ void softmax_reference(const dtype* in, dtype* out, long long, int columns) {
  __shared__ double shared[256];
  const Element* from = reinterpret_cast<const Element*>(in) + static_cast<long long>(blockIdx.x) * columns;
  Element* to = reinterpret_cast<Element*>(out) + static_cast<long long>(blockIdx.x) * columns;
  const int thread = static_cast<int>(threadIdx.x);
  double maximum = -1e300;
  for (int i = thread; i < columns; i += 256) maximum = fmax(maximum, static_cast<double>(widen(from[i])));
  shared[thread] = maximum;
  __syncthreads();
  for (int i = 0; i < 256; ++i) maximum = fmax(maximum, shared[i]);
  __syncthreads();
  double sum = 0.0;
  for (int i = thread; i < columns; i += 256) sum += exp(static_cast<double>(widen(from[i])) - maximum);
  shared[thread] = sum;
  __syncthreads();
  sum = 0.0;
  for (int i = 0; i < 256; ++i) sum += shared[i];
  for (int i = thread; i < columns; i += 256) {
    to[i] = narrow(static_cast<float>(exp(static_cast<double>(widen(from[i])) - maximum) / sum));
  }
}
#endif
