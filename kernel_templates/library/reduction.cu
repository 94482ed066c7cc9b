/* warptune
[kernel]
name = "reduction"
description = "the sum, minimum or maximum of all elements, or the dot product of two vectors"
entry = "reduction"
vendor = "cub::DeviceReduce::Sum, Min and Max; cublasSdot for the dot product"
about = """
Joins all elements of a vector into one value: their `sum`, `min` or `max`, or the sum of the products of two vectors' elements (`dot`).
Above some millions of elements everything is reading: enough bytes on their way (VECTOR, ITEMS, blocks an SM). Below, what counts is
how few steps follow one another after the last load: one launch, few blocks, few trips to memory.

The space spans blocks of one tile each, persistent blocks, and a fixed small number of blocks (BLOCKS), which may form clusters that join
through their shared memory; shuffles, a tree in shared memory or `redux` within a block; and four ways to join the blocks'
values: a `second` launch, the `last` block to take a ticket, the block of the highest index waiting for `flags` that come together with the values, or
`atomic` operations on a result that a launch before has set (`none` where one block or cluster does everything). All launches are timed.

The state that `last` and `flags` keep (a ticket that wraps round to 0, a number that counts the calls) has to be zeroed once, when it is allocated, and not
before each call. `flags` counts on the other blocks being started before the block of the highest index, or beside it, as GPUs do. With deterministic = "yes" the order of additions depends on the configuration and the GPU's SMs alone, which atomic
additions of floating-point numbers do not grant. Integer sums wrap round. `min` and `max` pass over NaNs. i8 sums and dot products into integers
use dp4a where words have at least four elements.
"""
defines = { ONE_TILE = "BLOCKS_PER_SM == 0", IS_SUM = 'operation == "sum"', IS_MIN = 'operation == "min"', IS_MAX = 'operation == "max"', IS_DOT = 'operation == "dot"', IS_HALF = 'dtype == "f16"', IS_BFLOAT16 = 'dtype == "bf16"', IS_I8 = 'dtype == "i8"', INTEGER_ACCUMULATOR = 'accumulator == "i32" || accumulator == "i64"', WIDE_ACCUMULATOR = 'accumulator == "f64" || accumulator == "i64"', FINISH_SECOND = 'FINISH == "second"', FINISH_ATOMIC = 'FINISH == "atomic"', FINISH_LAST = 'FINISH == "last"', FINISH_FLAGS = 'FINISH == "flags"', FINISH_NONE = 'FINISH == "none"', USE_SHARED = 'WITHIN_BLOCK == "shared"', USE_REDUX = 'WITHIN_BLOCK == "redux"' }

[problem]
N = { value = 67108864, description = "elements" }
dtype = { value = "f32", description = "type of the elements" }
accumulator = { value = "f32", description = "type of the result and of all intermediate values" }
operation = { value = "sum", description = "what is computed" }
deterministic = { value = "no", description = "whether every run must give the same bits" }

[problem_values]
dtype = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64"]
accumulator = ["f32", "f64", "i32", "i64"]
operation = ["sum", "min", "max", "dot"]
deterministic = ["no", "yes"]

[parameters]
BLOCK = { values = [64, 128, 256, 512, 1024], description = "threads a block" }
ITEMS = { values = [1, 2, 4, 8, 16], description = "words a thread has in flight from each input" }
VECTOR = { values = [1, 2, 4, 8, 16], description = "elements a word" }
ACCUMULATORS = { values = [1, 2, 4, 8], description = "independent partial values of a thread" }
BLOCKS_PER_SM = { values = [0, 1, 2, 3, 4, 6, 8, 12, 16, 32], description = "persistent blocks on an SM, each striding over the input; 0: one tile a block" }
BLOCKS = { values = [0, 1, 2, 4, 8, 16, 32, 64], when = "BLOCKS_PER_SM == 1", description = "persistent blocks altogether; 0: on all SMs" }
CLUSTER = { values = [1, 2, 4, 8], description = "blocks that join their values through shared memory before they go to device memory" }
FINISH = { values = ["second", "last", "flags", "atomic", "none"], description = "how the blocks' values join: a second launch, the last block to finish, a block that waits for the others, or atomic operations; none where all are one block or cluster" }
WITHIN_BLOCK = { values = ["shuffle", "shared", "redux"], description = "how a block's threads join their values" }
LOAD = { values = ["plain", "streaming", "no_allocate", "l2_128", "l2_256"], description = "cache hint of loads: none, evict first, not into the first level, or fetch 128 or 256 bytes into the second" }

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest load is 16 bytes" },
  { expression = "(ITEMS * VECTOR) % ACCUMULATORS == 0", reason = "every partial value takes the same number of elements" },
  { expression = "BLOCK * BLOCKS_PER_SM <= device_max_threads_per_sm", reason = "persistent blocks must all be resident" },
  { expression = "BLOCKS_PER_SM <= 16 || device_max_threads_per_sm >= 2048", reason = "smaller SMs hold 16 blocks" },
  { expression = "ITEMS * VECTOR * sizeof(dtype) <= 128", reason = "at most 32 registers of data a thread from each input" },
  { expression = "BLOCKS_PER_SM > 0 || BLOCK * ITEMS * VECTOR >= 512", reason = "a block that reads less costs more to start than to run, and the error bound counts on it" },
  { expression = "BLOCKS == 0 || N * sizeof(dtype) <= BLOCKS * 1048576", reason = "a block takes some 10 us to read 1 MiB; the error bound counts on it" },
  { expression = "BLOCKS == 0 || (BLOCKS - 1) * BLOCK * ITEMS * VECTOR < N", reason = "a block without a tile has nothing to do" },
  { expression = "BLOCKS == 0 || BLOCKS % CLUSTER == 0", reason = "whole clusters" },
  { expression = '(FINISH == "none") == (BLOCKS == CLUSTER)', reason = "one block or one cluster has nothing to join with, all others have" },
  { expression = "CLUSTER == 1 || device_compute_capability >= 90", reason = "clusters need sm_90" },
  { expression = 'CLUSTER == 1 || FINISH != "second"', reason = "clusters spare trips to memory, which a second launch takes anyway" },
  { expression = 'WITHIN_BLOCK != "redux" || accumulator == "i32" && device_compute_capability >= 80', reason = "redux is for 32-bit integers and needs sm_80" },
  { expression = 'LOAD != "l2_256" || device_compute_capability >= 80', reason = "fetching 256 bytes needs sm_80" },
  { expression = 'FINISH != "atomic" || operation == "sum" || operation == "dot" || accumulator == "i32" || accumulator == "i64"', reason = "there is no atomic minimum of floating-point numbers" },
  { expression = 'FINISH != "atomic" || deterministic == "no" || accumulator == "i32" || accumulator == "i64"', reason = "atomic additions come in any order, and rounding depends on it" },
  { expression = '(accumulator != "i32" && accumulator != "i64") || (dtype != "f16" && dtype != "bf16" && dtype != "f32" && dtype != "f64")', reason = "integers cannot hold sums of floating-point numbers" },
]

[default]
BLOCK = 256
ITEMS = 4
VECTOR = 1
ACCUMULATORS = 1
BLOCKS_PER_SM = 4
BLOCKS = 0
CLUSTER = 1
FINISH = "second"
WITHIN_BLOCK = "shared"
LOAD = "plain"

[launch]
grid = ["ceil_div(BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * ITEMS * VECTOR) : min(ceil_div(N, BLOCK * ITEMS * VECTOR), BLOCKS > 0 ? BLOCKS : BLOCKS_PER_SM * device_sm_count), CLUSTER) * CLUSTER"]
block = ["BLOCK"]
cluster = ["CLUSTER"]

# Every way to finish is a whole reduction: what it needs beside the main launch is timed with it.
[[launch.before]]
entry = "set_result"
grid = ["1"]
block = ["32"]
when = 'FINISH == "atomic"'

[[launch.after]]
entry = "reduce_partials"
grid = ["1"]
block = ["BLOCK"]
when = 'FINISH == "second"'

# From -100 to 100 and not from -1 to 1, so that integers differ from one another.
[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "N"
init = { kind = "uniform", low = -100.0, high = 100.0, seed = 1 }

# Only the dot product reads `b`.
[[argument]]
name = "b"
kind = "in"
type = "dtype"
count = 'operation == "dot" ? N : 1'
init = { kind = "uniform", low = -100.0, high = 100.0, seed = 2 }

[[argument]]
name = "result"
kind = "out"
type = "accumulator"
count = "1"

# One value a block, with room for a flag.
[[argument]]
name = "partials"
kind = "scratch"
type = "u64"
count = '(accumulator == "f64" || accumulator == "i64" ? 2 : 1) * (BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * ITEMS * VECTOR) + CLUSTER : min(ceil_div(N, BLOCK * ITEMS * VECTOR), BLOCKS > 0 ? BLOCKS : BLOCKS_PER_SM * device_sm_count) + CLUSTER)'
zero = true

# The ticket, which its last holder sets back to 0, the number of partial values, and the number of calls so far.
[[argument]]
name = "state"
kind = "scratch"
type = "u32"
count = "3"
zero = true

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

# With u the unit roundoff of the accumulator (2^-24 or 2^-53), an addition that brings a running sum to the magnitude S errs by at
# most u S. Sums of n numbers uniform in [-r, r] have S ~ r sqrt(n / 3), and the errors of a chain of L additions add up like
# a random walk, to about u r sqrt(n / 3) sqrt(L / 2). The longest chain at full magnitude is one atomic addition a block of 512 elements or
# more: L <= n / 512, hence u r n / 55 as standard deviation. A thread of few blocks adds at most 2^14 elements by itself, which is less. n / 8 is
# seven of them; 64 covers small n, where every error is of a few last places. r is 100 for a sum; products of two such
# numbers have the standard deviation 100^2 / 3, which is that of r = 5774. Integers, minima and maxima are exact. The reference adds in double and
# rounds once.
[check]
reference = "entry"
entry = "reduction_reference"
grid = ["1"]
block = ["1024"]
absolute = 'operation == "min" || operation == "max" || accumulator == "i32" || accumulator == "i64" ? 0 : (accumulator == "f64" ? 1.1102230246251565e-16 : 5.9604644775390625e-8) * (operation == "dot" ? 5774 : 100) * (64 + N / 8)'
relative = 0.0
nondeterministic = 'FINISH == "atomic" && accumulator != "i32" && accumulator != "i64"'

[work]
flops = 'operation == "dot" ? 2 * N : N'
bytes = '(operation == "dot" ? 2 * N : N) * sizeof(dtype)'
*/
#if IS_HALF
#include <cuda_fp16.h>
#elif IS_BFLOAT16
#include <cuda_bf16.h>
#endif
#include "memory_access.cuh"

using Word = WordOf<VECTOR * sizeof(dtype)>::Type;

#define USE_DP4A (IS_I8 && INTEGER_ACCUMULATOR && (IS_SUM || IS_DOT) && VECTOR >= 4 && defined(__CUDA_ARCH__))

union Pack {
  Word word;
  dtype item[VECTOR];
#if USE_DP4A
  int fours[VECTOR / 4];
#endif
};

__device__ __forceinline__ accumulator widen(dtype element) {
#if IS_HALF
  return static_cast<accumulator>(__half2float(element));
#elif IS_BFLOAT16
  return static_cast<accumulator>(__bfloat162float(element));
#else
  return static_cast<accumulator>(element);
#endif
}

// Minima and maxima of floating-point numbers pass over NaNs.
#if IS_MIN || IS_MAX
__device__ __forceinline__ int lesser(int x, int y) { return x < y ? x : y; }
__device__ __forceinline__ long long lesser(long long x, long long y) { return x < y ? x : y; }
__device__ __forceinline__ float lesser(float x, float y) { return fminf(x, y); }
__device__ __forceinline__ double lesser(double x, double y) { return fmin(x, y); }
__device__ __forceinline__ int greater(int x, int y) { return x > y ? x : y; }
__device__ __forceinline__ long long greater(long long x, long long y) { return x > y ? x : y; }
__device__ __forceinline__ float greater(float x, float y) { return fmaxf(x, y); }
__device__ __forceinline__ double greater(double x, double y) { return fmax(x, y); }
#endif

__device__ __forceinline__ accumulator join(accumulator x, accumulator y) {
#if IS_MIN
  return lesser(x, y);
#elif IS_MAX
  return greater(x, y);
#else
  return x + y;
#endif
}

// The accumulator's bits, and the value that joins with any other to the other.
#if WIDE_ACCUMULATOR
using Bits = unsigned long long;
#else
using Bits = unsigned int;
#endif
union Cast {
  accumulator value;
  Bits bits;
};
__device__ __forceinline__ accumulator nothing() {
  Cast cast;
#if IS_MIN && INTEGER_ACCUMULATOR
  cast.bits = ~Bits(0) >> 1;
#elif IS_MAX && INTEGER_ACCUMULATOR
  cast.bits = Bits(1) << (8 * sizeof(Bits) - 1);
#elif (IS_MIN || IS_MAX) && WIDE_ACCUMULATOR
  cast.bits = (IS_MIN ? 0x7ffull : 0xfffull) << 52;  // infinities
#elif IS_MIN || IS_MAX
  cast.bits = (IS_MIN ? 0xffu : 0x1ffu) << 23;
#else
  cast.bits = 0;
#endif
  return cast.value;
}

// What an element, or a pair of them, brings.
__device__ __forceinline__ accumulator term(dtype a, dtype b) {
#if IS_DOT
  return widen(a) * widen(b);
#else
  return widen(a);
#endif
}

#if !USE_SHARED
// The first lane gets the values of `lanes` lanes joined.
template <int lanes>
__device__ __forceinline__ accumulator join_lanes(accumulator value) {
#if USE_REDUX && defined(__CUDA_ARCH__)
#if IS_MIN
  return __reduce_min_sync(0xffffffffu, value);
#elif IS_MAX
  return __reduce_max_sync(0xffffffffu, value);
#else
  return __reduce_add_sync(0xffffffffu, value);
#endif
#else
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) value = join(value, __shfl_down_sync(0xffffffffu, value, distance));
  return value;
#endif
}
#endif

// All threads' values joined, in thread 0. Every thread of the block takes part.
__device__ __forceinline__ accumulator join_block(accumulator value) {
  const int thread = static_cast<int>(threadIdx.x);
#if USE_SHARED
  __shared__ accumulator of_threads[BLOCK];
  of_threads[thread] = value;
  __syncthreads();
#pragma unroll
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (thread < half) of_threads[thread] = join(of_threads[thread], of_threads[thread + half]);
    __syncthreads();
  }
  value = of_threads[0];
#else
  constexpr int kWarps = BLOCK / 32;
  __shared__ accumulator of_warps[kWarps];
  value = join_lanes<32>(value);
  if (thread % 32 == 0) of_warps[thread / 32] = value;
  __syncthreads();
  if (thread < 32) value = join_lanes<kWarps>(thread < kWarps ? of_warps[thread] : nothing());
#endif
  return value;
}

#if FINISH_FLAGS
// Waits until a value with this tag has come.
__device__ __forceinline__ accumulator wait_for_tagged(const unsigned long long* from, unsigned tag) {
  Cast cast;
  while (read_tagged(from, cast.bits) != tag) {
  }
  return cast.value;
}
#endif

#if FINISH_LAST
// Orders a thread's accesses to device memory; __threadfence() orders more, and takes longer.
__device__ __forceinline__ void fence() {
#ifdef __CUDA_ARCH__
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}
#endif

#if FINISH_SECOND || FINISH_LAST
// The blocks' values joined, in thread 0. They come from other SMs, hence past the first-level cache.
__device__ __forceinline__ accumulator join_partials(const accumulator* partials, unsigned count) {
  accumulator value = nothing();
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += BLOCK) value = join(value, __ldcg(partials + i));
  return join_block(value);
}
#endif

__global__ void __launch_bounds__(BLOCK) reduction(const dtype* __restrict__ a, const dtype* __restrict__ b, accumulator* result,
                                                   unsigned long long* partials, unsigned* state, long long n) {
  constexpr long long kTile = static_cast<long long>(BLOCK) * ITEMS * VECTOR;
  size_t addresses = reinterpret_cast<size_t>(a);
#if IS_DOT
  addresses |= reinterpret_cast<size_t>(b);
#endif
  const long long tiles = addresses % sizeof(Word) == 0 ? n / kTile : 0;
#if CLUSTER > 1 && defined(__CUDA_ARCH__)
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");  // that all blocks of the cluster run
#endif
#if FINISH_FLAGS
  const unsigned tag = __ldcg(state + 2) + 1;  // tags of earlier calls are lower
#endif

  accumulator values[ACCUMULATORS];
#pragma unroll
  for (int i = 0; i < ACCUMULATORS; ++i) values[i] = nothing();

  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Word* a_words = reinterpret_cast<const Word*>(a + tile * kTile) + threadIdx.x;
    Pack left[ITEMS];
#if IS_DOT
    const Word* b_words = reinterpret_cast<const Word*>(b + tile * kTile) + threadIdx.x;
    Pack right[ITEMS];
#else
    Pack (&right)[ITEMS] = left;
#endif
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      left[i].word = load_word<LoadHint::LOAD>(a_words + i * BLOCK);
#if IS_DOT
      right[i].word = load_word<LoadHint::LOAD>(b_words + i * BLOCK);
#endif
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
#if USE_DP4A
#pragma unroll
      for (int j = 0; j < VECTOR / 4; ++j) {
        const int sum = __dp4a(left[i].fours[j], IS_DOT ? right[i].fours[j] : 0x01010101, 0);
        values[(i * VECTOR / 4 + j) % ACCUMULATORS] += sum;
      }
#else
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) {
        accumulator& value = values[(i * VECTOR + j) % ACCUMULATORS];
        value = join(value, term(left[i].item[j], right[i].item[j]));
      }
#endif
    }
#if ONE_TILE
    break;
#endif
  }
  // What is left, by all blocks: less than a tile, or everything when the buffers are not aligned. Four elements at a time are on
  // their way; a loop for the compiler to unroll would have it divide by the step.
  const long long rest = tiles * kTile + static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (__builtin_expect(rest < n, 0)) {
    const long long step = static_cast<long long>(gridDim.x) * BLOCK;
#pragma unroll 1
    for (long long first = rest; first < n; first += 4 * step) {
      accumulator terms[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const long long at = first + i * step;
        terms[i] = nothing();
#if IS_DOT
        if (at < n) terms[i] = term(a[at], b[at]);
#else
        if (at < n) terms[i] = term(a[at], a[at]);
#endif
      }
      values[0] = join(values[0], join(join(terms[0], terms[1]), join(terms[2], terms[3])));
    }
  }

#pragma unroll
  for (int width = ACCUMULATORS / 2; width > 0; width /= 2) {
#pragma unroll
    for (int i = 0; i < width; ++i) values[i] = join(values[i], values[i + width]);
  }
  accumulator value = join_block(values[0]);

#if CLUSTER > 1
  // The first block of the cluster gets the others' values and goes on for them.
  const unsigned rank = blockIdx.x % CLUSTER;
#ifdef __CUDA_ARCH__
  __shared__ accumulator of_cluster[CLUSTER];
  asm volatile("barrier.cluster.wait;" ::: "memory");
  if (threadIdx.x == 0) {
    Cast cast;
    cast.value = value;
    const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(of_cluster + rank));
#if WIDE_ACCUMULATOR
    asm volatile("{ .reg .b32 at; mapa.shared::cluster.u32 at, %0, 0; st.shared::cluster.u64 [at], %1; }" ::"r"(own), "l"(cast.bits) : "memory");
#else
    asm volatile("{ .reg .b32 at; mapa.shared::cluster.u32 at, %0, 0; st.shared::cluster.u32 [at], %1; }" ::"r"(own), "r"(cast.bits) : "memory");
#endif
  }
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
  if (rank != 0) return;
  if (threadIdx.x == 0) {
#pragma unroll
    for (int i = 1; i < CLUSTER; ++i) value = join(value, of_cluster[i]);
  }
#endif
#endif

#if !(FINISH_ATOMIC || FINISH_NONE)
  const unsigned index = blockIdx.x / CLUSTER;
  const unsigned count = gridDim.x / CLUSTER;
#endif
#if FINISH_LAST || FINISH_FLAGS
  if (count == 1) {
    if (threadIdx.x == 0) *result = value;
    return;
  }
#endif
#if FINISH_NONE
  if (threadIdx.x == 0) *result = value;
#elif FINISH_ATOMIC
  if (threadIdx.x == 0) {
#if IS_MIN
    atomicMin(result, value);
#elif IS_MAX
    atomicMax(result, value);
#elif INTEGER_ACCUMULATOR
    atomicAdd(reinterpret_cast<Bits*>(result), static_cast<Bits>(value));
#else
    atomicAdd(result, value);
#endif
  }
#elif FINISH_LAST
  accumulator* of_blocks = reinterpret_cast<accumulator*>(partials);
  __shared__ bool is_last[1];
  if (threadIdx.x == 0) {
    of_blocks[index] = value;
    fence();  // the value is seen before the ticket is
    is_last[0] = atomicInc(state, count - 1) == count - 1;  // wraps round to 0
  }
  __syncthreads();
  if (is_last[0]) {
    fence();
    const accumulator total = join_partials(of_blocks, count);
    if (threadIdx.x == 0) *result = total;
  }
#elif FINISH_FLAGS
  constexpr unsigned kStep = sizeof(accumulator) / 4;  // a value and its tag
  if (index + 1 < count) {
    Cast cast;
    cast.value = value;
    if (threadIdx.x == 0) write_tagged(partials + index * kStep, cast.bits, tag);
    return;
  }
  // The last block by index: the others do not wait for it, and none of them waits for any other.
  __syncthreads();
  accumulator total = threadIdx.x == 0 ? value : nothing();
  for (unsigned i = threadIdx.x; i + 1 < count; i += BLOCK) total = join(total, wait_for_tagged(partials + i * kStep, tag));
  total = join_block(total);
  if (threadIdx.x == 0) {
    *result = total;
    state[2] = tag;  // all have read it: their values have come
  }
#else
  if (threadIdx.x == 0) {
    reinterpret_cast<accumulator*>(partials)[index] = value;
    if (index == 0) state[1] = count;
  }
#endif
}

// The launches of other ways to finish exist all the same.
__global__ void set_result(const dtype*, const dtype*, accumulator* result, unsigned long long*, unsigned*, long long) {
#if FINISH_ATOMIC
  if (threadIdx.x == 0) *result = nothing();
#endif
}

__global__ void __launch_bounds__(BLOCK) reduce_partials(const dtype*, const dtype*, accumulator* result, unsigned long long* partials,
                                                         unsigned* state, long long) {
#if FINISH_SECOND
  const accumulator total = join_partials(reinterpret_cast<const accumulator*>(partials), state[1]);
  if (threadIdx.x == 0) *result = total;
#endif
}

#ifdef WARPTUNE_REFERENCE
// One block of 1024 threads, in double or in 64-bit integers.
#if INTEGER_ACCUMULATOR
using Exact = long long;
#else
using Exact = double;
#endif
__device__ Exact joined_exactly(Exact x, Exact y) {
#if IS_MIN
  return y < x ? y : x;
#elif IS_MAX
  return y > x ? y : x;
#else
  return x + y;
#endif
}

__global__ void reduction_reference(const dtype* a, const dtype* b, accumulator* result, unsigned long long*, unsigned*, long long n) {
  __shared__ Exact values[1024];
  Exact value = static_cast<Exact>(nothing());
#pragma unroll 8
  for (long long i = threadIdx.x; i < n; i += 1024) {
#if IS_DOT
    value += static_cast<Exact>(widen(a[i])) * static_cast<Exact>(widen(b[i]));
#else
    value = joined_exactly(value, static_cast<Exact>(widen(a[i])));
#endif
  }
  values[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 1024; ++i) value = joined_exactly(value, values[i]);
    *result = static_cast<accumulator>(value);
  }
}
#endif
