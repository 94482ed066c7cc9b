/* warptune
[kernel]
name = "reduction"
description = "the sum of all elements, or the dot product of two vectors"
entry = "reduction"
defines = { ONE_TILE = "BLOCKS_PER_SM == 0", IS_DOT = 'operation == "dot"', IS_HALF = 'dtype == "f16"', FINISH_ATOMIC = 'FINISH == "atomic"', FINISH_TICKET = 'FINISH == "ticket"', USE_SHUFFLE = 'WITHIN_BLOCK == "shuffle"' }

[problem]
N = 67108864
dtype = "f32"
accumulator = "f32"
operation = "sum"

[problem_values]
dtype = ["f16", "f32", "f64", "i8", "i32"]
accumulator = ["f32", "f64"]
operation = ["sum", "dot"]

[parameters]
BLOCK = { values = [64, 128, 256, 512, 1024], description = "threads a block" }
ITEMS = { values = [1, 2, 4, 8], description = "vectors a thread has in flight from each input" }
VECTOR = { values = [1, 2, 4, 8, 16], description = "elements a load" }
ACCUMULATORS = { values = [1, 2, 4, 8], description = "independent partial sums of a thread" }
BLOCKS_PER_SM = { values = [0, 1, 2, 4, 8, 16], description = "persistent blocks on an SM, each striding over the input; 0: one tile a block" }
FINISH = { values = ["second", "ticket", "atomic"], description = "how the blocks' sums join: a second launch, the last block, or atomic additions" }
WITHIN_BLOCK = { values = ["shuffle", "shared"], description = "how a block's threads join their sums" }

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest load is 16 bytes" },
  { expression = "(ITEMS * VECTOR) % ACCUMULATORS == 0", reason = "every partial sum takes the same number of elements" },
  { expression = "BLOCK * BLOCKS_PER_SM <= device_max_threads_per_sm", reason = "persistent blocks must all be resident" },
  { expression = "ITEMS * VECTOR * sizeof(dtype) <= 128", reason = "at most 32 registers of data a thread from each input" },
  { expression = "BLOCKS_PER_SM > 0 || BLOCK * ITEMS * VECTOR >= 512", reason = "a block that reads less costs more to start than to run, and the error bound counts on it" },
]

[default]
BLOCK = 256
ITEMS = 4
VECTOR = 1
ACCUMULATORS = 1
BLOCKS_PER_SM = 0
FINISH = "second"
WITHIN_BLOCK = "shared"

[launch]
grid = ["BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * ITEMS * VECTOR) : min(ceil_div(N, BLOCK * ITEMS * VECTOR), BLOCKS_PER_SM * device_sm_count)"]
block = ["BLOCK"]

# Every way to finish is a whole reduction: what it needs beside the main launch is timed with it.
[[launch.before]]
entry = "zero_result"
grid = ["1"]
block = ["32"]
when = 'FINISH == "atomic"'

[[launch.after]]
entry = "reduce_partials"
grid = ["1"]
block = ["BLOCK"]
when = 'FINISH == "second"'

[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

# A sum reads `a` alone.
[[argument]]
name = "b"
kind = "in"
type = "dtype"
count = 'operation == "dot" ? N : 1'
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "result"
kind = "out"
type = "accumulator"
count = "1"

# One sum a block.
[[argument]]
name = "partials"
kind = "scratch"
type = "accumulator"
count = "BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * ITEMS * VECTOR) : min(ceil_div(N, BLOCK * ITEMS * VECTOR), BLOCKS_PER_SM * device_sm_count)"

# The ticket, which its last holder sets back to 0, and the number of partial sums.
[[argument]]
name = "state"
kind = "scratch"
type = "u32"
count = "2"
zero = true

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

# With u the unit roundoff of the accumulator (2^-24 or 2^-53), an addition that brings a running sum to the magnitude S errs by at
# most u S. Sums of n numbers uniform in [-1, 1] have S ~ sqrt(n / 3), and the errors of a chain of L additions add up like
# a random walk, to about u sqrt(n / 3) sqrt(L / 2). The longest chain at full magnitude is one atomic addition a block of 512 elements or
# more: L <= n / 512, hence u n / 55 as standard deviation. n / 8 is seven of them; 64 covers small n, where every error
# is of a few last places of a sum below 10. The reference adds in double and rounds once. Products (dot) are smaller.
[check]
reference = "entry"
entry = "reduction_reference"
grid = ["1"]
block = ["1024"]
absolute = '(accumulator == "f64" ? 1.1102230246251565e-16 : 5.9604644775390625e-8) * (64 + N / 8)'
relative = 0.0

[work]
flops = 'operation == "dot" ? 2 * N : N'
bytes = '(operation == "dot" ? 2 * N : N) * sizeof(dtype)'
*/
#if IS_HALF
#include <cuda_fp16.h>
#endif

// The machine word of one load: 1 to 16 bytes.
template <int bytes> struct WordOf;
template <> struct WordOf<1> { using Type = unsigned char; };
template <> struct WordOf<2> { using Type = unsigned short; };
template <> struct WordOf<4> { using Type = unsigned int; };
template <> struct WordOf<8> { using Type = uint2; };
template <> struct WordOf<16> { using Type = uint4; };
using Word = WordOf<VECTOR * sizeof(dtype)>::Type;

union Pack {
  Word word;
  dtype item[VECTOR];
};

__device__ __forceinline__ accumulator widen(dtype element) {
#if IS_HALF
  return static_cast<accumulator>(__half2float(element));
#else
  return static_cast<accumulator>(element);
#endif
}

// What element `i` adds to the result.
__device__ __forceinline__ accumulator term(const dtype* a, const dtype* b, long long i) {
#if IS_DOT
  return widen(a[i]) * widen(b[i]);
#else
  return widen(a[i]);
#endif
}

// The sum over the block's threads, in thread 0. Every thread of the block takes part.
__device__ __forceinline__ accumulator sum_of_block(accumulator value) {
  const int thread = static_cast<int>(threadIdx.x);
#if USE_SHUFFLE
  constexpr int kWarps = BLOCK / 32;
  __shared__ accumulator of_warps[kWarps];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  if (thread % 32 == 0) of_warps[thread / 32] = value;
  __syncthreads();
  if (thread < 32) {
    value = thread < kWarps ? of_warps[thread] : accumulator(0);
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  }
#else
  __shared__ accumulator of_threads[BLOCK];
  of_threads[thread] = value;
  __syncthreads();
#pragma unroll
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (thread < half) of_threads[thread] += of_threads[thread + half];
    __syncthreads();
  }
  value = of_threads[0];
#endif
  return value;
}

// The sum of the blocks' sums, in thread 0. They come from other SMs, hence past the first-level cache.
__device__ __forceinline__ accumulator sum_of_partials(const accumulator* partials, unsigned count) {
  accumulator sum = 0;
  for (unsigned i = threadIdx.x; i < count; i += BLOCK) sum += __ldcg(partials + i);
  return sum_of_block(sum);
}

__global__ void __launch_bounds__(BLOCK) reduction(const dtype* __restrict__ a, const dtype* __restrict__ b, accumulator* result,
                                                   accumulator* partials, unsigned* state, long long n) {
  constexpr long long kTile = static_cast<long long>(BLOCK) * ITEMS * VECTOR;
#if IS_DOT
  const bool aligned = (reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(b)) % sizeof(Word) == 0;
#else
  const bool aligned = reinterpret_cast<size_t>(a) % sizeof(Word) == 0;
#endif

  accumulator sums[ACCUMULATORS];
#pragma unroll
  for (int i = 0; i < ACCUMULATORS; ++i) sums[i] = 0;

  for (long long first = blockIdx.x * kTile; first < n; first += gridDim.x * kTile) {
    if (aligned && first + kTile <= n) {
      const Word* a_words = reinterpret_cast<const Word*>(a + first) + threadIdx.x;
      Pack left[ITEMS];
#if IS_DOT
      const Word* b_words = reinterpret_cast<const Word*>(b + first) + threadIdx.x;
      Pack right[ITEMS];
#endif
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
        left[i].word = __ldg(a_words + i * BLOCK);
#if IS_DOT
        right[i].word = __ldg(b_words + i * BLOCK);
#endif
      }
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) {
#if IS_DOT
          sums[(i * VECTOR + j) % ACCUMULATORS] += widen(left[i].item[j]) * widen(right[i].item[j]);
#else
          sums[(i * VECTOR + j) % ACCUMULATORS] += widen(left[i].item[j]);
#endif
        }
      }
    } else {
      const long long last = first + kTile < n ? first + kTile : n;
#pragma unroll 1
      for (long long i = first + threadIdx.x; i < last; i += BLOCK) sums[0] += term(a, b, i);
    }
#if ONE_TILE
    break;
#endif
  }

#pragma unroll
  for (int width = ACCUMULATORS / 2; width > 0; width /= 2) {
#pragma unroll
    for (int i = 0; i < width; ++i) sums[i] += sums[i + width];
  }
  const accumulator sum = sum_of_block(sums[0]);

#if FINISH_ATOMIC
  if (threadIdx.x == 0) atomicAdd(result, sum);
#elif FINISH_TICKET
  __shared__ bool is_last[1];
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();                                                      // the sum is seen before the ticket is
    is_last[0] = atomicInc(state, gridDim.x - 1) == gridDim.x - 1;  // wraps round to 0
  }
  __syncthreads();
  if (is_last[0]) {
    __threadfence();
    const accumulator total = sum_of_partials(partials, gridDim.x);
    if (threadIdx.x == 0) *result = total;
  }
#else
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    if (blockIdx.x == 0) state[1] = gridDim.x;
  }
#endif
}

__global__ void zero_result(const dtype*, const dtype*, accumulator* result, accumulator*, unsigned*, long long) {
  if (threadIdx.x == 0) *result = 0;
}

__global__ void __launch_bounds__(BLOCK) reduce_partials(const dtype*, const dtype*, accumulator* result, accumulator* partials,
                                                         unsigned* state, long long) {
  const accumulator total = sum_of_partials(partials, state[1]);
  if (threadIdx.x == 0) *result = total;
}

#ifdef WARPTUNE_REFERENCE
// One block of 1024 threads, in double.
__global__ void reduction_reference(const dtype* a, const dtype* b, accumulator* result, accumulator*, unsigned*, long long n) {
  __shared__ double sums[1024];
  double sum = 0;
#pragma unroll 8
  for (long long i = threadIdx.x; i < n; i += 1024) {
#if IS_DOT
    sum += static_cast<double>(widen(a[i])) * static_cast<double>(widen(b[i]));
#else
    sum += static_cast<double>(widen(a[i]));
#endif
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 1024; ++i) sum += sums[i];
    *result = static_cast<accumulator>(sum);
  }
}
#endif
