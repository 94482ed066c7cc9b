/* warptune
[kernel]
name = "vector_add"
description = "c = a + b, element by element"
entry = "vector_add"
defines = { ONE_TILE = "BLOCKS_PER_SM == 0", IS_HALF = 'dtype == "f16"', LOAD_READ_ONLY = 'LOAD == "read_only"', LOAD_STREAMING = 'LOAD == "streaming"', STORE_STREAMING = 'STORE == "streaming"' }

[problem]
N = 67108864
dtype = "f32"

[problem_values]
dtype = ["f32", "f64", "f16", "i8", "i16", "i32", "i64"]

[parameters]
BLOCK = { values = [64, 128, 256, 512, 1024], description = "threads a block" }
ITEMS = { values = [1, 2, 4, 8], description = "vectors a thread has in flight from each input" }
VECTOR = { values = [1, 2, 4, 8, 16], description = "elements a load" }
BLOCKS_PER_SM = { values = [0, 1, 2, 4, 8, 16], description = "persistent blocks on an SM, each striding over the grid; 0: one tile a block" }
LOAD = { values = ["plain", "read_only", "streaming"], description = "cache hint of loads" }
STORE = { values = ["plain", "streaming"], description = "cache hint of stores" }

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest load is 16 bytes" },
  { expression = "BLOCK * BLOCKS_PER_SM <= device_max_threads_per_sm", reason = "persistent blocks must all be resident" },
  { expression = "VECTOR * ITEMS * sizeof(dtype) <= 64", reason = "two inputs of 64 bytes a thread take 32 registers; more only lowers occupancy" },
]

[default]
BLOCK = 256
ITEMS = 1
VECTOR = 1
BLOCKS_PER_SM = 0
LOAD = "plain"
STORE = "plain"

[launch]
grid = ["BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * ITEMS * VECTOR) : min(ceil_div(N, BLOCK * ITEMS * VECTOR), BLOCKS_PER_SM * device_sm_count)"]
block = ["BLOCK"]

# From -100 to 100 and not from -1 to 1, so that integers differ from one another.
[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "N"
init = { kind = "uniform", low = -100.0, high = 100.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "dtype"
count = "N"
init = { kind = "uniform", low = -100.0, high = 100.0, seed = 2 }

[[argument]]
name = "c"
kind = "out"
type = "dtype"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

# Both sides round one addition, which IEEE 754 fixes to the last bit: no tolerance at all.
[check]
reference = "entry"
entry = "vector_add_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "N"
bytes = "3 * N * sizeof(dtype)"
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

__device__ __forceinline__ Word load(const Word* source) {
#if LOAD_READ_ONLY
  return __ldg(source);
#elif LOAD_STREAMING
  return __ldcs(source);
#else
  return *source;
#endif
}

__device__ __forceinline__ void store(Word* target, Word word) {
#if STORE_STREAMING
  __stcs(target, word);
#else
  *target = word;
#endif
}

// No __restrict__: it would turn plain loads into read-only ones.
__global__ void __launch_bounds__(BLOCK) vector_add(const dtype* a, const dtype* b, dtype* c, long long n) {
  constexpr long long kTile = static_cast<long long>(BLOCK) * ITEMS * VECTOR;
  const bool aligned =
      (reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(b) | reinterpret_cast<size_t>(c)) % sizeof(Word) == 0;
  for (long long first = blockIdx.x * kTile; first < n; first += gridDim.x * kTile) {
    if (aligned && first + kTile <= n) {
      const Word* a_words = reinterpret_cast<const Word*>(a + first) + threadIdx.x;
      const Word* b_words = reinterpret_cast<const Word*>(b + first) + threadIdx.x;
      Word* c_words = reinterpret_cast<Word*>(c + first) + threadIdx.x;
      Pack left[ITEMS], right[ITEMS];
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
        left[i].word = load(a_words + i * BLOCK);
        right[i].word = load(b_words + i * BLOCK);
      }
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
        Pack sum;
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) sum.item[j] = static_cast<dtype>(left[i].item[j] + right[i].item[j]);
        store(c_words + i * BLOCK, sum.word);
      }
    } else {
      const long long last = first + kTile < n ? first + kTile : n;
#pragma unroll 1
      for (long long i = first + threadIdx.x; i < last; i += BLOCK) c[i] = static_cast<dtype>(a[i] + b[i]);
    }
#if ONE_TILE
    break;
#endif
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void vector_add_reference(const dtype* a, const dtype* b, dtype* c, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<dtype>(a[i] + b[i]);
}
#endif
