/* warptune
[kernel]
name = "reduction"
description = "the sum, minimum or maximum of all elements, or the dot product of two vectors"
entry = "reduction"
vendor = "cub::DeviceReduce::Sum, Min and Max; cublasSdot for the dot product"
about = """
Reduces all elements of a vector to one value: their `sum`, `min` or `max`, or the sum of the products of two vectors'
elements (`dot`). With many millions of elements, reading them takes most of the time, so enough bytes must be in flight
(VECTOR, VECTORS_PER_THREAD, blocks per SM). With fewer elements, the latency of the steps after the last load matters:
one launch, few blocks and few accesses to memory are best.

A configuration has blocks of one tile each, persistent blocks, or a fixed small number of blocks (GRID_SIZE). Blocks
may form clusters that combine their values through distributed shared memory. Within a block, values are combined by
shuffles, by a tree in shared memory or by `redux` (BLOCK_REDUCTION).

GRID_REDUCTION chooses how the values of the blocks are combined:

- `second_kernel`: by a second kernel.
- `last_block`: by the last block to finish. An atomic counter (a ticket) shows which block this is.
- `flags`: by the block of the highest index, which polls flags that are written together with the values.
- `atomic`: by atomic operations on a result that an earlier launch has set.
- `none`: one block or one cluster does everything, so there is nothing to combine.

All launches are timed. `last_block` and `flags` keep a state: a ticket that wraps around to 0, and the number of calls
so far. The state is zeroed once, when it is allocated, and not before each call. `flags` works only if the block of the
highest index is started last. GPUs start blocks in the order of their index.

With deterministic = "yes" the order of additions depends only on the configuration and the number of SMs. Atomic
additions of floating-point numbers do not guarantee that. Integer sums wrap around. `min` and `max` ignore NaNs. i8
sums and dot products into integers use dp4a if VECTOR is at least 4.
"""
[kernel.defines]
ONE_TILE = "BLOCKS_PER_SM == 0"
IS_SUM = 'operation == "sum"'
IS_MIN = 'operation == "min"'
IS_MAX = 'operation == "max"'
IS_DOT = 'operation == "dot"'
IS_F16 = 'dtype == "f16"'
IS_BF16 = 'dtype == "bf16"'
IS_I8 = 'dtype == "i8"'
INTEGER_ACCUMULATOR = 'accumulator == "i32" || accumulator == "i64"'
REDUCTION_SECOND_KERNEL = 'GRID_REDUCTION == "second_kernel"'
REDUCTION_ATOMIC = 'GRID_REDUCTION == "atomic"'
REDUCTION_LAST_BLOCK = 'GRID_REDUCTION == "last_block"'
REDUCTION_FLAGS = 'GRID_REDUCTION == "flags"'
REDUCTION_NONE = 'GRID_REDUCTION == "none"'
USE_SHARED = 'BLOCK_REDUCTION == "shared"'
USE_REDUX = 'BLOCK_REDUCTION == "redux"'

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
BLOCK = { values = [64, 128, 256, 512, 1024], description = "threads per block" }
VECTORS_PER_THREAD = { values = [1, 2, 4, 8, 16], description = "vector loads in flight per thread and input" }
VECTOR = { values = [1, 2, 4, 8, 16], description = "elements per vector load" }
ACCUMULATORS = { values = [1, 2, 4, 8], description = "independent partial results per thread" }
BLOCKS_PER_SM.values = [0, 1, 2, 3, 4, 6, 8, 12, 16, 32]
BLOCKS_PER_SM.description = "persistent blocks per SM, each of which loops over tiles; 0: one tile per block"
GRID_SIZE.values = [0, 1, 2, 4, 8, 16, 32, 64]
GRID_SIZE.when = "BLOCKS_PER_SM == 1"
GRID_SIZE.description = "persistent blocks in the whole grid; 0: BLOCKS_PER_SM blocks for every SM"
CLUSTER.values = [1, 2, 4, 8]
CLUSTER.description = "blocks per cluster; they first combine their values through distributed shared memory"
GRID_REDUCTION.values = ["second_kernel", "last_block", "flags", "atomic", "none"]
GRID_REDUCTION.description = """\
  how the blocks combine their values: by a second kernel, in the last block to finish, in a block that polls flags, \
  by atomic operations, or not at all (none)"""
BLOCK_REDUCTION.values = ["shuffle", "shared", "redux"]
BLOCK_REDUCTION.description = "how the values of a block's threads are combined"
LOAD.values = ["plain", "streaming", "no_allocate", "l2_128", "l2_256"]
LOAD.description = "cache hint of loads: none, evict first, not kept in L1, or fetch 128 or 256 bytes into L2"

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest load is 16 bytes" },
  { reason = "every partial result combines the same number of elements", expression = """\
    (VECTORS_PER_THREAD * VECTOR) % ACCUMULATORS == 0""" },
  { reason = "all persistent blocks must be resident at once", expression = """\
    BLOCK * BLOCKS_PER_SM <= device_max_threads_per_sm""" },
  { reason = "SMs with fewer threads hold at most 16 blocks", expression = """\
    BLOCKS_PER_SM <= 16 || device_max_threads_per_sm >= 2048""" },
  { reason = "a thread holds at most 32 registers of data from each input", expression = """\
    VECTORS_PER_THREAD * VECTOR * sizeof(dtype) <= 128""" },
  { reason = """\
    a block that reads less takes longer to start than to run; the error bound relies on this limit, \
    too""", expression = """\
    BLOCKS_PER_SM > 0 || BLOCK * VECTORS_PER_THREAD * VECTOR >= 512""" },
  { reason = "a block takes about 10 us to read 1 MiB; the error bound relies on this limit, too", expression = """\
    GRID_SIZE == 0 || N * sizeof(dtype) <= GRID_SIZE * 1048576""" },
  { reason = "a block without a tile has nothing to do", expression = """\
    GRID_SIZE == 0 || (GRID_SIZE - 1) * BLOCK * VECTORS_PER_THREAD * VECTOR < N""" },
  { expression = "GRID_SIZE == 0 || GRID_SIZE % CLUSTER == 0", reason = "the grid consists of whole clusters" },
  { reason = "GRID_REDUCTION is none exactly where one block or one cluster computes the result", expression = """\
    (GRID_REDUCTION == "none") == (GRID_SIZE == CLUSTER)""" },
  { expression = "CLUSTER == 1 || device_compute_capability >= 90", reason = "clusters need sm_90" },
  { reason = "clusters save accesses to global memory, which a second kernel needs anyway", expression = """\
    CLUSTER == 1 || GRID_REDUCTION != "second_kernel"""" },
  { reason = "redux is for 32-bit integers and needs sm_80", expression = """\
    BLOCK_REDUCTION != "redux" || accumulator == "i32" && device_compute_capability >= 80""" },
  { expression = 'LOAD != "l2_256" || device_compute_capability >= 80', reason = "fetching 256 bytes needs sm_80" },
  { reason = "CUDA has no atomic minimum and maximum of floating-point numbers", expression = """\
    GRID_REDUCTION != "atomic" || operation == "sum" || operation == "dot" || accumulator == "i32" || accumulator \
    == "i64"""" },
  { reason = "atomic additions happen in any order, and the rounding depends on that order", expression = """\
    GRID_REDUCTION != "atomic" || deterministic == "no" || accumulator == "i32" || accumulator == "i64"""" },
  { reason = "integers cannot hold sums of floating-point numbers", expression = """\
    (accumulator != "i32" && accumulator != "i64") || (dtype != "f16" && dtype != "bf16" && dtype != "f32" && \
    dtype != "f64")""" },
]

[default]
BLOCK = 256
VECTORS_PER_THREAD = 4
VECTOR = 1
ACCUMULATORS = 1
BLOCKS_PER_SM = 4
GRID_SIZE = 0
CLUSTER = 1
GRID_REDUCTION = "second_kernel"
BLOCK_REDUCTION = "shared"
LOAD = "plain"

# Found by bench_size_matrix on an H200, whose memory is faster than that of an H100.
[[recommended]]
when = """\
  operation == "sum" && dtype == "f32" && accumulator == "f32" && N > 10000000 \
  && device_memory_bandwidth_bytes_per_s > 4e12"""
[recommended.values]
BLOCK = 512
VECTOR = 4
ACCUMULATORS = 4
GRID_REDUCTION = "flags"
BLOCK_REDUCTION = "shuffle"
LOAD = "no_allocate"

[[recommended]]
when = """\
  operation == "sum" && dtype == "f32" && accumulator == "f32" && N > 1500000 && N < 3000000 \
  && device_memory_bandwidth_bytes_per_s > 4e12"""
[recommended.values]
BLOCK = 256
VECTORS_PER_THREAD = 8
VECTOR = 4
ACCUMULATORS = 4
BLOCKS_PER_SM = 0
GRID_REDUCTION = "flags"
LOAD = "l2_128"

[[recommended]]
when = """\
  operation == "sum" && dtype == "f32" && accumulator == "f32" && N > 700000 \
  && device_memory_bandwidth_bytes_per_s > 4e12"""
[recommended.values]
BLOCK = 512
VECTOR = 4
ACCUMULATORS = 2
BLOCKS_PER_SM = 0
GRID_REDUCTION = "flags"
BLOCK_REDUCTION = "shuffle"
LOAD = "l2_128"

# What is known to be fast, by the number of elements. Found by bench_size_matrix on an H100 with sums of f32.
# One block has all elements in flight at once.
[[recommended]]
when = 'operation == "sum" && dtype == "f32" && accumulator == "f32" && N <= 8192'
[recommended.values]
BLOCK = 1024
VECTORS_PER_THREAD = 2
VECTOR = 4
BLOCKS_PER_SM = 0
GRID_REDUCTION = "flags"
BLOCK_REDUCTION = "shuffle"
LOAD = "no_allocate"

[[recommended]]
when = 'operation == "sum" && dtype == "f32" && accumulator == "f32" && N < 700000'
[recommended.values]
VECTORS_PER_THREAD = 2
VECTOR = 4
ACCUMULATORS = 2
BLOCKS_PER_SM = 0
GRID_REDUCTION = "flags"
LOAD = "l2_128"

[[recommended]]
when = 'operation == "sum" && dtype == "f32" && accumulator == "f32"'
[recommended.values]
BLOCK = 1024
VECTORS_PER_THREAD = 2
VECTOR = 4
BLOCKS_PER_SM = 0
GRID_REDUCTION = "flags"
BLOCK_REDUCTION = "shuffle"
LOAD = "streaming"

[launch]
grid = ["""\
  ceil_div(BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * VECTORS_PER_THREAD * VECTOR) : min(ceil_div(N, BLOCK * \
  VECTORS_PER_THREAD * VECTOR), GRID_SIZE > 0 ? GRID_SIZE : BLOCKS_PER_SM * device_sm_count), CLUSTER) * CLUSTER"""]
block = ["BLOCK"]
cluster = ["CLUSTER"]

# With every GRID_REDUCTION one evaluation is a whole reduction: the launches before and after the main one are timed
# with it.
[[launch.before]]
entry = "set_result"
grid = ["1"]
block = ["32"]
when = 'GRID_REDUCTION == "atomic"'

[[launch.after]]
entry = "reduce_partials"
grid = ["1"]
block = ["BLOCK"]
when = 'GRID_REDUCTION == "second_kernel"'

# The range is -100 to 100 instead of -1 to 1, so that integers differ from each other.
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

# One value per block, with room for a flag.
[[argument]]
name = "partials"
kind = "scratch"
type = "u64"
count = """\
  (accumulator == "f64" || accumulator == "i64" ? 2 : 1) * (BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * \
  VECTORS_PER_THREAD * VECTOR) + CLUSTER : min(ceil_div(N, BLOCK * VECTORS_PER_THREAD * VECTOR), GRID_SIZE > 0 ? \
  GRID_SIZE : BLOCKS_PER_SM * device_sm_count) + CLUSTER)"""
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

# Let u be the unit roundoff of the accumulator (2^-24 or 2^-53). If S is the magnitude of the running sum after an
# addition, the error of the addition is at most u S in magnitude. Sums of n numbers uniform in [-r, r] have S ~ r
# sqrt(n / 3). The errors of a chain of L additions add up like a random walk, to about u r sqrt(n / 3) sqrt(L / 2). The
# longest chain at full magnitude is one atomic addition for each block of 512 elements or more. Hence L <= n / 512, and
# the standard deviation is u r n / 55. A thread of few blocks adds at most 2^14 elements by itself, which is less. n /
# 8 is seven standard deviations. 64 covers small n, where every error is a few units in the last place. r is 100 for a
# sum. Products of two such numbers have the standard deviation 100^2 / 3, which is that of r = 5774. Integers, minima
# and maxima are exact. The reference adds in double and rounds once.
[check]
reference = "entry"
entry = "reduction_reference"
grid = ["1"]
block = ["1024"]
absolute = """\
  operation == "min" || operation == "max" || accumulator == "i32" || accumulator == "i64" ? 0 : (accumulator == \
  "f64" ? 1.1102230246251565e-16 : 5.9604644775390625e-8) * (operation == "dot" ? 5774 : 100) * (64 + N / 8)"""
relative = 0.0
nondeterministic = 'GRID_REDUCTION == "atomic" && accumulator != "i32" && accumulator != "i64"'

[work]
flops = 'operation == "dot" ? 2 * N : N'
bytes = '(operation == "dot" ? 2 * N : N) * sizeof(dtype)'
*/
#if CLUSTER > 1
#include "cluster.cuh"
#endif
#include "element_types.cuh"
#include "memory_access.cuh"
#include "tagged_value.cuh"
#include "warp_reduction.cuh"

using Word = WordOf<VECTOR * sizeof(dtype)>::Type;

#define USE_DP4A (IS_I8 && INTEGER_ACCUMULATOR && (IS_SUM || IS_DOT) && VECTOR >= 4 && defined(__CUDA_ARCH__))

union Pack {
  Word word;
  dtype item[VECTOR];
#if USE_DP4A
  int fours[VECTOR / 4];
#endif
};

#if IS_MIN
using Join = Minimum<accumulator>;
#elif IS_MAX
using Join = Maximum<accumulator>;
#else
using Join = Sum<accumulator>;
#endif

__device__ __forceinline__ accumulator join(accumulator x, accumulator y) { return Join()(x, y); }
__device__ __forceinline__ accumulator identity() { return Join::identity(); }

__device__ __forceinline__ accumulator to_accumulator(dtype element) {
  return static_cast<accumulator>(widen(element));
}

// What an element, or a pair of them, contributes.
__device__ __forceinline__ accumulator term(dtype a, dtype b) {
#if IS_DOT
  return to_accumulator(a) * to_accumulator(b);
#else
  return to_accumulator(a);
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
  return warp_reduce<lanes>(value, Join());
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
  if (thread < 32) value = join_lanes<kWarps>(thread < kWarps ? of_warps[thread] : identity());
#endif
  return value;
}

#if REDUCTION_FLAGS
// Waits until a value with this tag has been written.
__device__ __forceinline__ accumulator wait_for_tagged(const unsigned long long* from, unsigned tag) {
  accumulator value;
  while (read_tagged(from, value) != tag) {
  }
  return value;
}
#endif

#if REDUCTION_LAST_BLOCK
// Orders a thread's accesses to global memory. __threadfence() orders more, and takes longer.
__device__ __forceinline__ void fence() {
#ifdef __CUDA_ARCH__
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}
#endif

#if REDUCTION_SECOND_KERNEL || REDUCTION_LAST_BLOCK
// The blocks' values joined, in thread 0. They are written by other SMs, hence read from L2.
__device__ __forceinline__ accumulator join_partials(const accumulator* partials, unsigned count) {
  accumulator value = identity();
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += BLOCK) value = join(value, __ldcg(partials + i));
  return join_block(value);
}
#endif

// Elements of a tile.
__device__ __forceinline__ constexpr long long tile_size() {
  return static_cast<long long>(BLOCK) * VECTORS_PER_THREAD * VECTOR;
}

// Joins the terms of a tile's vectors to a thread's partial values.
__device__ __forceinline__ void join_packs(accumulator (&values)[ACCUMULATORS],
                                           const Pack (&left)[VECTORS_PER_THREAD],
                                           const Pack (&right)[VECTORS_PER_THREAD]) {
#pragma unroll
  for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
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
}

// Joins the block's whole tiles.
__device__ __forceinline__ void join_tiles(accumulator (&values)[ACCUMULATORS], const dtype* __restrict__ a,
                                           const dtype* __restrict__ b, long long tiles) {
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Word* a_words = reinterpret_cast<const Word*>(a + tile * tile_size()) + threadIdx.x;
    Pack left[VECTORS_PER_THREAD];
#if IS_DOT
    const Word* b_words = reinterpret_cast<const Word*>(b + tile * tile_size()) + threadIdx.x;
    Pack right[VECTORS_PER_THREAD];
#else
    Pack(&right)[VECTORS_PER_THREAD] = left;
#endif
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
      left[i].word = load_word<LoadHint::LOAD>(a_words + i * BLOCK);
#if IS_DOT
      right[i].word = load_word<LoadHint::LOAD>(b_words + i * BLOCK);
#endif
    }
    join_packs(values, left, right);
#if ONE_TILE
    break;
#endif
  }
}

// Joins what is left after the tiles, by all blocks: less than a tile, or everything when the buffers are not
// aligned. Four elements at a time are in flight. If the compiler unrolled a plain loop, it would divide by the step.
__device__ __forceinline__ void join_rest(accumulator& value, const dtype* __restrict__ a,
                                          const dtype* __restrict__ b, long long tiles, long long n) {
  const long long rest = tiles * tile_size() + static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (__builtin_expect(rest < n, 0)) {
    const long long step = static_cast<long long>(gridDim.x) * BLOCK;
#pragma unroll 1
    for (long long first = rest; first < n; first += 4 * step) {
      accumulator terms[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const long long at = first + i * step;
        terms[i] = identity();
#if IS_DOT
        if (at < n) terms[i] = term(a[at], b[at]);
#else
        if (at < n) terms[i] = term(a[at], a[at]);
#endif
      }
      value = join(value, join(join(terms[0], terms[1]), join(terms[2], terms[3])));
    }
  }
}

#if CLUSTER > 1 && defined(__CUDA_ARCH__)
// The first block of the cluster gets the values of all, in `of_cluster`.
__device__ __forceinline__ void gather_cluster(accumulator* of_cluster, accumulator value, unsigned rank) {
  asm volatile("barrier.cluster.wait;" ::: "memory");
  if (threadIdx.x == 0) store_in_cluster(of_cluster + rank, 0, value);
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
#endif

// One function for each value of GRID_REDUCTION: joins the values of `count` blocks, or clusters, of which this one
// is the one of number `index`. Thread 0 has its value.
#if REDUCTION_ATOMIC
__device__ __forceinline__ void join_grid(accumulator value, accumulator* result) {
  if (threadIdx.x == 0) {
#if IS_MIN
    atomicMin(result, value);
#elif IS_MAX
    atomicMax(result, value);
#elif INTEGER_ACCUMULATOR
    using Bits = TaggedBits<sizeof(accumulator)>::Type;
    atomicAdd(reinterpret_cast<Bits*>(result), static_cast<Bits>(value));
#else
    atomicAdd(result, value);
#endif
  }
}
#elif REDUCTION_LAST_BLOCK
__device__ __forceinline__ void join_grid(accumulator value, accumulator* result,
                                          unsigned long long* partials, unsigned* state, unsigned index,
                                          unsigned count) {
  accumulator* of_blocks = reinterpret_cast<accumulator*>(partials);
  __shared__ bool is_last[1];
  if (threadIdx.x == 0) {
    of_blocks[index] = value;
    fence();                                                // the value is seen before the ticket is
    is_last[0] = atomicInc(state, count - 1) == count - 1;  // wraps round to 0
  }
  __syncthreads();
  if (is_last[0]) {
    fence();
    const accumulator total = join_partials(of_blocks, count);
    if (threadIdx.x == 0) *result = total;
  }
}
#elif REDUCTION_FLAGS
__device__ __forceinline__ void join_grid(accumulator value, accumulator* result,
                                          unsigned long long* partials, unsigned* state, unsigned tag,
                                          unsigned index, unsigned count) {
  constexpr unsigned kStep = tagged_step<accumulator>();
  if (index + 1 < count) {
    if (threadIdx.x == 0) write_tagged(partials + index * kStep, value, tag);
    return;
  }
  // The last block by index: the others do not wait for it, and none of them waits for any other.
  __syncthreads();
  accumulator total = threadIdx.x == 0 ? value : identity();
  for (unsigned i = threadIdx.x; i + 1 < count; i += BLOCK) {
    total = join(total, wait_for_tagged(partials + i * kStep, tag));
  }
  total = join_block(total);
  if (threadIdx.x == 0) {
    *result = total;
    state[2] = tag;  // all blocks have read it: their values have arrived
  }
}
#elif REDUCTION_SECOND_KERNEL
__device__ __forceinline__ void join_grid(accumulator value, unsigned long long* partials, unsigned* state,
                                          unsigned index, unsigned count) {
  if (threadIdx.x == 0) {
    reinterpret_cast<accumulator*>(partials)[index] = value;
    if (index == 0) state[1] = count;
  }
}
#endif

__global__ void __launch_bounds__(BLOCK)
    reduction(const dtype* __restrict__ a, const dtype* __restrict__ b, accumulator* result,
              unsigned long long* partials, unsigned* state, long long n) {
  size_t addresses = reinterpret_cast<size_t>(a);
#if IS_DOT
  addresses |= reinterpret_cast<size_t>(b);
#endif
  const long long tiles = addresses % sizeof(Word) == 0 ? n / tile_size() : 0;
#if CLUSTER > 1 && defined(__CUDA_ARCH__)
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");  // gather_cluster waits until all blocks run
#endif
#if REDUCTION_FLAGS
  const unsigned tag = __ldcg(state + 2) + 1;  // tags of earlier calls are lower
#endif

  accumulator values[ACCUMULATORS];
#pragma unroll
  for (int i = 0; i < ACCUMULATORS; ++i) values[i] = identity();
  join_tiles(values, a, b, tiles);
  join_rest(values[0], a, b, tiles, n);
#pragma unroll
  for (int width = ACCUMULATORS / 2; width > 0; width /= 2) {
#pragma unroll
    for (int i = 0; i < width; ++i) values[i] = join(values[i], values[i + width]);
  }
  accumulator value = join_block(values[0]);
#if CLUSTER > 1 && defined(__CUDA_ARCH__)
  const unsigned rank = blockIdx.x % CLUSTER;
  __shared__ accumulator of_cluster[CLUSTER];
  gather_cluster(of_cluster, value, rank);
  if (rank != 0) return;  // the first block goes on for its cluster
  if (threadIdx.x == 0) {
#pragma unroll
    for (int i = 1; i < CLUSTER; ++i) value = join(value, of_cluster[i]);
  }
#endif

#if REDUCTION_NONE
  if (threadIdx.x == 0) *result = value;
#elif REDUCTION_ATOMIC
  join_grid(value, result);
#else
  const unsigned index = blockIdx.x / CLUSTER;
  const unsigned count = gridDim.x / CLUSTER;
#if REDUCTION_SECOND_KERNEL
  join_grid(value, partials, state, index, count);
#else
  if (count == 1) {
    if (threadIdx.x == 0) *result = value;
    return;
  }
#if REDUCTION_LAST_BLOCK
  join_grid(value, result, partials, state, index, count);
#else
  join_grid(value, result, partials, state, tag, index, count);
#endif
#endif
#endif
}

// The other launches exist whatever GRID_REDUCTION is.
__global__ void set_result(const dtype*, const dtype*, accumulator* result, unsigned long long*, unsigned*,
                           long long) {
#if REDUCTION_ATOMIC
  if (threadIdx.x == 0) *result = identity();
#endif
}

__global__ void __launch_bounds__(BLOCK)
    reduce_partials(const dtype*, const dtype*, accumulator* result, unsigned long long* partials,
                    unsigned* state, long long) {
#if REDUCTION_SECOND_KERNEL
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

__global__ void reduction_reference(const dtype* a, const dtype* b, accumulator* result, unsigned long long*,
                                    unsigned*, long long n) {
  __shared__ Exact values[1024];
  Exact value = static_cast<Exact>(identity());
#pragma unroll 8
  for (long long i = threadIdx.x; i < n; i += 1024) {
#if IS_DOT
    value += static_cast<Exact>(to_accumulator(a[i])) * static_cast<Exact>(to_accumulator(b[i]));
#else
    value = joined_exactly(value, static_cast<Exact>(to_accumulator(a[i])));
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
