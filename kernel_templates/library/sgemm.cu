/* warptune
[kernel]
name = "sgemm"
description = "C = alpha A B + beta C in single precision on CUDA cores, row-major"
entry = "sgemm"
defines = { THREADS = "BLOCK_M / THREAD_M * (BLOCK_N / THREAD_N)" }

[problem]
M = 2048
N = 2048
K = 2048

[parameters]
BLOCK_M = { values = [32, 64, 128, 256], description = "rows of C of a block" }
BLOCK_N = { values = [32, 64, 128, 256], description = "columns of C of a block" }
BLOCK_K = { values = [8, 16, 32], description = "columns of A that a block takes into shared memory at a time" }
THREAD_M = { values = [4, 8, 16], description = "rows of C of a thread" }
THREAD_N = { values = [4, 8, 16], description = "columns of C of a thread" }
LANES_M = { values = [4, 8], description = "rows of a warp's grid of threads: LANES_M x 32 / LANES_M" }
VECTOR = { values = [1, 4], description = "elements a load from global memory" }
PAD_A = { values = [0, 4], description = "elements between rows of the turned tile of A in shared memory" }
STAGES = { values = [1, 2], description = "tiles in shared memory; with 2 a block stores one while it computes on the other" }
UNROLL = { values = [4, 8, 16, 32], description = "steps along K that are unrolled" }
GROUP = { values = [1, 8], description = "tile rows whose blocks run together, to share A and B in the second-level cache" }
MIN_BLOCKS = { values = [1, 2], description = "blocks an SM must be able to hold: bounds the registers" }

[constraints]
list = [
  { expression = "BLOCK_M % (LANES_M * THREAD_M) == 0", reason = "whole warps along M" },
  { expression = "BLOCK_N % (32 / LANES_M * THREAD_N) == 0", reason = "whole warps along N" },
  { expression = "BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N) >= 64", reason = "one warp cannot hide its own loads" },
  { expression = "BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N) <= 512", reason = "more threads leave too few registers for a tile each" },
  { expression = "max(THREAD_M, THREAD_N) <= 2 * min(THREAD_M, THREAD_N)", reason = "a flat tile reads more from shared memory than a square one of its size" },
  { expression = "BLOCK_M * BLOCK_K % (VECTOR * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N)) == 0", reason = "every thread loads the same part of A" },
  { expression = "BLOCK_N * BLOCK_K % (VECTOR * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N)) == 0", reason = "every thread loads the same part of B" },
  { expression = "BLOCK_K * (BLOCK_M + BLOCK_N) * THREAD_M * THREAD_N <= 48 * BLOCK_M * BLOCK_N", reason = "at most 48 elements a thread are on their way from global memory" },
  { expression = "UNROLL <= BLOCK_K && UNROLL * THREAD_M * THREAD_N <= 2048", reason = "no more steps than there are, and a loop that stays in the instruction cache" },
  { expression = "STAGES * BLOCK_K * (BLOCK_M + PAD_A + BLOCK_N) * 4 <= device_shared_bytes_per_block_optin", reason = "the tiles fit into shared memory" },
  { expression = "MIN_BLOCKS * STAGES * BLOCK_K * (BLOCK_M + PAD_A + BLOCK_N) * 4 + MIN_BLOCKS * 1024 <= device_shared_bytes_per_sm", reason = "as many blocks as asked for fit into shared memory" },
  { expression = "THREAD_M * THREAD_N + THREAD_M + THREAD_N + BLOCK_K * (BLOCK_M + BLOCK_N) * (THREAD_M * THREAD_N) / (BLOCK_M * BLOCK_N) + 32 <= min(255, device_registers_per_sm / (MIN_BLOCKS * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N)))", reason = "sums, operands and loads under way fit into registers" },
]

[default]
BLOCK_M = 64
BLOCK_N = 64
BLOCK_K = 16
THREAD_M = 4
THREAD_N = 4
LANES_M = 4
VECTOR = 4
PAD_A = 4
STAGES = 1
UNROLL = 16
GROUP = 1
MIN_BLOCKS = 1

[launch]
grid = ["ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N)"]
block = ["BLOCK_M / THREAD_M * (BLOCK_N / THREAD_N)"]
shared_bytes = "STAGES * BLOCK_K * (BLOCK_M + PAD_A + BLOCK_N) * 4"

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "M * K"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "f32"
count = "K * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "c"
kind = "inout"
type = "f32"
count = "M * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 3 }

[[argument]]
name = "m"
kind = "scalar"
type = "i64"
value = "M"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[[argument]]
name = "k"
kind = "scalar"
type = "i64"
value = "K"

[[argument]]
name = "alpha"
kind = "scalar"
type = "f32"
value = "1.0"

[[argument]]
name = "beta"
kind = "scalar"
type = "f32"
value = "0.0"

# An element is a sum of K products of variance 1/9, added in order: a partial sum of magnitude s is rounded by up to 2^-24 s, and s itself
# grows like sqrt(k) / 3 and reaches twice that in the largest of millions of elements. The random walk of those roundings is about
# 2e-8 K as standard deviation there; the largest of 4 million elements at K = 2048 was seen 8.4e-8 K off (H200). 3e-7 K leaves a
# factor of three, and a product left out (0.25 on average) still shows. The 16 more are for small K. The reference adds in double.
[check]
reference = "entry"
entry = "sgemm_reference"
grid = ["ceil_div(N, 32)", "min(ceil_div(M, 8), 65535)"]
block = ["32", "8"]
absolute = "3e-7 * (K + 16)"
relative = 1e-6

[work]
flops = "2 * M * N * K"
bytes = "4 * (M * K + K * N + M * N)"
*/

constexpr int kUnroll = UNROLL;  // nvcc expands no macros in a pragma
constexpr int kLanesN = 32 / LANES_M;
constexpr int kWarpM = LANES_M * THREAD_M;  // a warp's part of the block's tile
constexpr int kWarpN = kLanesN * THREAD_N;
constexpr int kWarpsN = BLOCK_N / kWarpN;
constexpr int kPitchA = BLOCK_M + PAD_A;
constexpr int kStage = BLOCK_K * (kPitchA + BLOCK_N);  // elements: A's tile turned to [BLOCK_K][kPitchA], then B's [BLOCK_K][BLOCK_N]

template <int elements> struct WordOf;
template <> struct WordOf<1> { using Type = float; };
template <> struct WordOf<2> { using Type = float2; };
template <> struct WordOf<4> { using Type = float4; };
union Pack {
  WordOf<VECTOR>::Type word;
  float item[VECTOR];
};

// How the threads share the loads of a tile whose rows are `row_words` words: thread 0 begins at its first element, others at `row` and
// `element`; each goes on by the same steps. THREADS divides row_words or is divided by it.
template <int row_words>
struct Share {
  int row, element;
  __device__ __forceinline__ explicit Share(int thread) : row(thread / row_words), element(thread % row_words * VECTOR) {}
  __device__ __forceinline__ static int rows_on(int i) { return i * THREADS / row_words; }
  __device__ __forceinline__ static int elements_on(int i) { return i * THREADS % row_words * VECTOR; }
};
using ShareA = Share<BLOCK_K / VECTOR>;
using ShareB = Share<BLOCK_N / VECTOR>;
constexpr int kWordsA = BLOCK_M * BLOCK_K / VECTOR / THREADS;
constexpr int kWordsB = BLOCK_N * BLOCK_K / VECTOR / THREADS;

// Loads a thread's words, the first at `source`, of a tile that is whole and whose rows start aligned. How far the next ones are is
// the same for all threads, which saves registers.
template <class Share, int words>
__device__ __forceinline__ void load_tile(Pack (&target)[words], const float* __restrict__ source, long long pitch) {
#pragma unroll
  for (int i = 0; i < words; ++i) {
    const float* from = source + Share::rows_on(i) * pitch + Share::elements_on(i);
    target[i].word = __ldg(reinterpret_cast<const WordOf<VECTOR>::Type*>(from));
  }
}

// Copies tiles that are not whole or not aligned into a stage, element by element; what is outside of the matrices is 0. Loops that
// are not unrolled, past the registers: the edge takes little of the time, and unrolled it took half of the compiler's.
__device__ __forceinline__ void copy_edge_tiles(float* stage, const float* __restrict__ a_source, const float* __restrict__ b_source,
                                                long long k, long long n, int rows, int depth, int columns) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < BLOCK_M * BLOCK_K; i += THREADS) {
    const int row = i / BLOCK_K;
    const int step = i % BLOCK_K;
    stage[step * kPitchA + row] = row < rows && step < depth ? __ldg(a_source + row * k + step) : 0.0f;
  }
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < BLOCK_K * BLOCK_N; i += THREADS) {
    const int step = i / BLOCK_N;
    const int column = i % BLOCK_N;
    stage[BLOCK_K * kPitchA + i] = step < depth && column < columns ? __ldg(b_source + step * n + column) : 0.0f;
  }
}

__device__ __forceinline__ void store_tiles(float* stage, const Pack (&a_words)[kWordsA], const Pack (&b_words)[kWordsB],
                                            const ShareA& share_a, const ShareB& share_b) {
#pragma unroll
  for (int i = 0; i < kWordsA; ++i) {
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      stage[(share_a.element + ShareA::elements_on(i) + j) * kPitchA + share_a.row + ShareA::rows_on(i)] = a_words[i].item[j];
    }
  }
  float* b_tile = stage + BLOCK_K * kPitchA;
#pragma unroll
  for (int i = 0; i < kWordsB; ++i) {
    float* to = b_tile + (share_b.row + ShareB::rows_on(i)) * BLOCK_N + share_b.element + ShareB::elements_on(i);
    *reinterpret_cast<WordOf<VECTOR>::Type*>(to) = b_words[i].word;
  }
}

// Adds the product of a stage's tiles to a thread's sums. `a_first` and `b_first` are where the thread's first four rows and columns
// begin; its next four follow after those of all lanes, so that a warp reads consecutive 16-byte words.
__device__ __forceinline__ void multiply_stage(float (&sums)[THREAD_M][THREAD_N], const float* a_first, const float* b_first) {
#pragma unroll kUnroll
  for (int step = 0; step < BLOCK_K; ++step) {
    float a_part[THREAD_M], b_part[THREAD_N];
#pragma unroll
    for (int i = 0; i < THREAD_M; i += 4) {
      const float4 word = *reinterpret_cast<const float4*>(a_first + step * kPitchA + i * LANES_M);
      a_part[i] = word.x, a_part[i + 1] = word.y, a_part[i + 2] = word.z, a_part[i + 3] = word.w;
    }
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4) {
      const float4 word = *reinterpret_cast<const float4*>(b_first + step * BLOCK_N + j * kLanesN);
      b_part[j] = word.x, b_part[j + 1] = word.y, b_part[j + 2] = word.z, b_part[j + 3] = word.w;
    }
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
      for (int j = 0; j < THREAD_N; ++j) sums[i][j] += a_part[i] * b_part[j];
    }
  }
}

// Reads and writes of four elements under a condition, in PTX because a predicate is no branch: with a branch for each word the
// assembler took longer than for all the rest.
__device__ __forceinline__ void load_if(float4& word, const float* from, bool condition) {
#ifdef __CUDA_ARCH__
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.v4.f32 {%0, %1, %2, %3}, [%4]; }"
               : "+f"(word.x), "+f"(word.y), "+f"(word.z), "+f"(word.w)
               : "l"(__cvta_generic_to_global(from)), "r"(static_cast<int>(condition)));
#else
  if (condition) word = *reinterpret_cast<const float4*>(from);
#endif
}

__device__ __forceinline__ void store_if(float* to, const float4& word, bool condition) {
#ifdef __CUDA_ARCH__
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p st.global.v4.f32 [%4], {%0, %1, %2, %3}; }" ::"f"(word.x), "f"(word.y),
               "f"(word.z), "f"(word.w), "l"(__cvta_generic_to_global(to)), "r"(static_cast<int>(condition))
               : "memory");
#else
  if (condition) *reinterpret_cast<float4*>(to) = word;
#endif
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, long long m, long long n, long long k,
          float alpha, float beta) {
  extern __shared__ float4 shared_words[];
  float* stages = reinterpret_cast<float*>(shared_words);
  const int thread = static_cast<int>(threadIdx.x);

  // Blocks go down GROUP tile rows before they go on to the next tile column.
  const unsigned tiles_m = static_cast<unsigned>((m + BLOCK_M - 1) / BLOCK_M);
  const unsigned tiles_n = static_cast<unsigned>((n + BLOCK_N - 1) / BLOCK_N);
  const unsigned group = blockIdx.x / (GROUP * tiles_n);
  const unsigned in_group = blockIdx.x % (GROUP * tiles_n);
  const unsigned left = tiles_m - group * GROUP;
  const unsigned height = left < GROUP ? left : GROUP;
  const long long row0 = static_cast<long long>(group * GROUP + in_group % height) * BLOCK_M;
  const long long column0 = static_cast<long long>(in_group / height) * BLOCK_N;

  // Whole tiles whose rows start aligned are loaded by words, all others element by element.
  const bool inside = row0 + BLOCK_M <= m && k % VECTOR == 0 && reinterpret_cast<size_t>(a) % (4 * VECTOR) == 0 &&
                      column0 + BLOCK_N <= n && n % VECTOR == 0 && reinterpret_cast<size_t>(b) % (4 * VECTOR) == 0;
  const int rows_here = static_cast<int>(row0 + BLOCK_M <= m ? BLOCK_M : m - row0);
  const int columns_here = static_cast<int>(column0 + BLOCK_N <= n ? BLOCK_N : n - column0);

  const ShareA share_a(thread);
  const ShareB share_b(thread);
  const float* a_source = a + (row0 + share_a.row) * k + share_a.element;
  const float* b_source = b + share_b.row * n + column0 + share_b.element;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int row_in_tile = warp / kWarpsN * kWarpM + lane / kLanesN * 4;
  const int column_in_tile = warp % kWarpsN * kWarpN + lane % kLanesN * 4;

  float sums[THREAD_M][THREAD_N];
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) sums[i][j] = 0.0f;
  }

  Pack a_words[kWordsA], b_words[kWordsB];
  int stage = 0;
  // The first turn only brings a tile in; each later one multiplies a tile while the next is on its way.
#pragma unroll 1
  for (long long left_k = k;; left_k -= BLOCK_K) {
    const bool more = left_k > 0;
    const bool whole = inside && left_k >= BLOCK_K;
    if (whole) {
      load_tile<ShareA>(a_words, a_source, k);
      load_tile<ShareB>(b_words, b_source, n);
    }
    if (left_k < k) {
      const float* current = stages + stage * kStage;
      multiply_stage(sums, current + row_in_tile, current + BLOCK_K * kPitchA + column_in_tile);
      if (!more) break;
#if STAGES == 2
      stage ^= 1;
#else
      __syncthreads();
#endif
    }
    float* next = stages + stage * kStage;
    if (whole) {
      store_tiles(next, a_words, b_words, share_a, share_b);
    } else {
      const int depth = static_cast<int>(BLOCK_K <= left_k ? BLOCK_K : left_k);
      const long long done_k = k - left_k;
      copy_edge_tiles(next, a + row0 * k + done_k, b + done_k * n + column0, k, n, rows_here, depth, columns_here);
    }
    a_source += BLOCK_K;
    b_source += BLOCK_K * n;
    __syncthreads();
  }

  const int rows_left = rows_here - row_in_tile;
  const int columns_left = columns_here - column_in_tile;
  float* corner = c + (row0 + row_in_tile) * n + column0 + column_in_tile;
  if (n % 4 == 0 && reinterpret_cast<size_t>(c) % 16 == 0) {  // columns are multiples of 4: a word is inside whole or not at all
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
      const int row = i / 4 * LANES_M * 4 + i % 4;
#pragma unroll
      for (int j = 0; j < THREAD_N; j += 4) {
        const int column = j * kLanesN;
        const bool exists = row < rows_left && column < columns_left;
        float4 word = {0.0f, 0.0f, 0.0f, 0.0f};
        load_if(word, corner + row * n + column, exists && beta != 0.0f);
        word.x = alpha * sums[i][j] + beta * word.x;
        word.y = alpha * sums[i][j + 1] + beta * word.y;
        word.z = alpha * sums[i][j + 2] + beta * word.z;
        word.w = alpha * sums[i][j + 3] + beta * word.w;
        store_if(corner + row * n + column, word, exists);
      }
    }
  } else {
    float kept[THREAD_M * THREAD_N];  // in local memory, for a loop that is not unrolled
#pragma unroll
    for (int i = 0; i < THREAD_M * THREAD_N; ++i) kept[i] = sums[i / THREAD_N][i % THREAD_N];
#pragma unroll 1
    for (int index = 0; index < THREAD_M * THREAD_N; ++index) {
      const int i = index / THREAD_N;
      const int j = index % THREAD_N;
      const int row = i / 4 * LANES_M * 4 + i % 4;
      const int column = j / 4 * kLanesN * 4 + j % 4;
      if (row >= rows_left || column >= columns_left) continue;
      float* to = corner + row * n + column;
      *to = alpha * kept[index] + (beta != 0.0f ? beta * *to : 0.0f);
    }
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void sgemm_reference(const float* a, const float* b, float* c, long long m, long long n, long long k, float alpha,
                                float beta) {
  const long long column = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= n) return;
  for (long long row = static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y; row < m; row += gridDim.y * blockDim.y) {
    double sum = 0.0;
    for (long long i = 0; i < k; ++i) sum += static_cast<double>(a[row * k + i]) * static_cast<double>(b[i * n + column]);
    double value = static_cast<double>(alpha) * sum;
    if (beta != 0.0f) value += static_cast<double>(beta) * static_cast<double>(c[row * n + column]);
    c[row * n + column] = static_cast<float>(value);
  }
}
#endif
