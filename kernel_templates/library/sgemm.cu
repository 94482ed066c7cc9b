/* warptune
[kernel]
name = "sgemm"
description = "C = alpha A B + beta C in single precision on CUDA cores, row-major"
about = """
`C = alpha A B + beta C` in single precision on the CUDA cores, without tensor cores and without TF32: A is `M x K`, B is `K x N`, C is `M x N`, all
row-major and packed. `BATCH` such products, each behind the other in memory, are one launch. Any size is right; rows that are multiples of four elements
are loaded by words of 16 bytes, others element by element.

A block computes a tile of C, each thread a part of it in registers. The space spans the tiles of blocks, warps and threads; how
tiles of A and B reach shared memory (through registers, or by `cp.async` with up to four of them under way); operands
read one step ahead; and for few tiles or a long K several blocks a tile, whose sums join by a second launch, by atomic additions or
within a cluster of blocks (`sm_90` and later).

At 128 lanes an SM each cycle must issue a multiply-add, and a multiply-add whose new operands lie in one register bank takes two. `ORDER`
is what a source can do about it: `snake` walks a step's products so that each needs one new operand only, and keeps sums in such an order that the compiler
puts a sum into the other bank than that operand.
"""
vendor = "cublasSgemm with CUBLAS_PEDANTIC_MATH"
entry = "sgemm"
defines = { THREADS = "BLOCK_M / THREAD_M * (BLOCK_N / THREAD_N)", COPY_ASYNC = 'LOAD == "async"', TURNED = 'LAYOUT_A == "turned"', PAIRED = 'LANES == "pairs"', SNAKE = 'ORDER == "snake"', BY_COLUMNS = 'ORDER == "columns"', JOIN_LAUNCH = 'SPLIT_K > 1 && FINISH == "launch"', JOIN_ATOMIC = 'SPLIT_K > 1 && FINISH == "atomic"', JOIN_CLUSTER = 'SPLIT_K > 1 && FINISH == "cluster"' }

[problem]
M = { value = 2048, description = "rows of A and C" }
N = { value = 2048, description = "columns of B and C" }
K = { value = 2048, description = "columns of A, rows of B" }
BATCH = { value = 1, description = "products, one behind the other in memory" }

[parameters]
BLOCK_M = { values = [32, 64, 128, 256], description = "rows of C of a block" }
BLOCK_N = { values = [32, 64, 128, 256], description = "columns of C of a block" }
BLOCK_K = { values = [8, 16, 32], description = "columns of A that a block takes into shared memory at a time" }
THREAD_M = { values = [4, 8, 16], description = "rows of C of a thread" }
THREAD_N = { values = [4, 8, 16], description = "columns of C of a thread" }
LANES_M = { values = [4, 8], description = "rows of a warp's grid of threads: LANES_M x 32 / LANES_M" }
LANES = { values = ["rows", "pairs"], description = "how a warp's lanes lie on that grid: row by row, or each two neighbours in one column, so that pairs of lanes read the same word of B" }
LOAD = { values = ["registers", "async"], description = "how tiles reach shared memory: through registers, or past them by cp.async" }
LAYOUT_A = { values = ["turned", "rows"], when = 'LOAD == "async"', description = "A's tile in shared memory: turned, so that a thread reads four rows at once, or by rows, so that it reads four steps of one row" }
VECTOR = { values = [1, 4], when = 'LOAD == "registers"', otherwise = 4, description = "elements a load from global memory" }
PAD_A = { values = [0, 4], when = 'LOAD == "registers"', otherwise = 4, description = "elements between rows of the turned tile of A in shared memory" }
STAGES = { values = [1, 2, 3, 4], description = "tiles in shared memory; with more than 1 a block computes on one while it brings in others" }
FRAGMENTS = { values = [1, 2], when = "STAGES > 1", description = "sets of operands in registers; with 2 those of the next step are read while one is multiplied" }
ORDER = { values = ["rows", "columns", "snake"], description = "of the multiply-adds of a step: by rows, by columns, or rows to and fro with sums kept in swapped pairs, against conflicts between register banks" }
UNROLL = { values = [4, 8, 16, 32], description = "steps along K that are unrolled" }
SPLIT_K = { values = [1, 2, 4, 8, 16, 32, 64], description = "blocks that share a tile of C, each with its part of K" }
FINISH = { values = ["launch", "atomic", "cluster"], when = "SPLIT_K > 1", description = "how the sums of blocks that share a tile join: by a second launch, by atomic additions, or within a cluster" }
GROUP = { values = [1, 4, 8, 16], description = "tile rows whose blocks run together, to share A and B in the second-level cache" }
MIN_BLOCKS = { values = [1, 2, 3, 4], description = "blocks an SM must be able to hold: bounds the registers" }

[constraints]
list = [
  { expression = "BLOCK_M % (LANES_M * THREAD_M) == 0", reason = "whole warps along M" },
  { expression = "BLOCK_N % (32 / LANES_M * THREAD_N) == 0", reason = "whole warps along N" },
  { expression = "BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N) >= 64", reason = "one warp cannot hide its own loads" },
  { expression = "BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N) <= 512", reason = "more threads leave too few registers for a tile each" },
  { expression = "max(THREAD_M, THREAD_N) <= 2 * min(THREAD_M, THREAD_N)", reason = "a flat tile reads more from shared memory than a square one of its size" },
  { expression = 'LOAD != "async" || device_compute_capability >= 80', reason = "cp.async came with compute capability 8.0" },
  { expression = 'LOAD == "async" ? STAGES >= 2 : STAGES <= 2', reason = "copies past the registers need a tile to arrive in, and registers hold one tile under way" },
  { expression = 'BLOCK_M * BLOCK_K % ((LOAD == "async" && LAYOUT_A == "turned" ? 1 : VECTOR) * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N)) == 0', reason = "every thread loads the same part of A" },
  { expression = "BLOCK_N * BLOCK_K % (VECTOR * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N)) == 0", reason = "every thread loads the same part of B" },
  { expression = 'LOAD == "async" || BLOCK_K * (BLOCK_M + BLOCK_N) * THREAD_M * THREAD_N <= 48 * BLOCK_M * BLOCK_N', reason = "at most 48 elements a thread are on their way from global memory in registers" },
  { expression = 'LOAD != "async" || LAYOUT_A == "rows" || BLOCK_K * THREAD_M * THREAD_N <= 32 * BLOCK_N', reason = "at most 32 copies of single elements a thread and tile" },
  { expression = "VECTOR == 4 || K % 4 != 0 || N % 4 != 0", reason = "rows that start aligned are loaded by words" },
  { expression = "UNROLL == BLOCK_K || UNROLL * THREAD_M * THREAD_N >= 512", reason = "a shorter loop is all branches" },
  { expression = "UNROLL <= BLOCK_K && UNROLL * THREAD_M * THREAD_N <= 1024", reason = "no more steps than there are, and a loop that is quick to compile and stays in the instruction cache" },
  { expression = "STAGES * BLOCK_K * (BLOCK_M + PAD_A + BLOCK_N) * 4 <= device_shared_bytes_per_block_optin", reason = "the tiles fit into shared memory" },
  { expression = 'MIN_BLOCKS * (1024 + 4 * max(STAGES * BLOCK_K * (BLOCK_M + PAD_A + BLOCK_N), SPLIT_K > 1 && FINISH == "cluster" ? BLOCK_M * BLOCK_N : 0)) <= device_shared_bytes_per_sm', reason = "as many blocks as asked for fit into shared memory" },
  { expression = "MIN_BLOCKS * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N) <= min(768, device_max_threads_per_sm)", reason = "more threads leave too few registers for a tile each" },
  { expression = "MIN_BLOCKS == 1 || MIN_BLOCKS * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N) >= 256", reason = "so few threads have all registers anyway" },
  { expression = 'THREAD_M * THREAD_N + FRAGMENTS * (THREAD_M * (LAYOUT_A == "rows" ? 4 : 1) + THREAD_N) + (LOAD == "async" ? 0 : BLOCK_K * (BLOCK_M + BLOCK_N) * (THREAD_M * THREAD_N) / (BLOCK_M * BLOCK_N)) + 32 <= min(255, device_registers_per_sm / (MIN_BLOCKS * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N)))', reason = "sums, operands and loads under way fit into registers" },
  { expression = "SPLIT_K == 1 || SPLIT_K * BLOCK_K * 2 <= K", reason = "every block has two tiles along K or more" },
  { expression = "SPLIT_K == 1 || SPLIT_K * BATCH * ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N) < 4 * device_sm_count", reason = "half as many blocks would fill the GPU twice over" },
  { expression = "GROUP == 1 || (GROUP <= ceil_div(M, BLOCK_M) && SPLIT_K * BATCH * ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N) > device_sm_count)", reason = "no more rows of tiles than there are; blocks that all run at once need no order" },
  { expression = 'SPLIT_K == 1 || FINISH != "cluster" || (device_compute_capability >= 90 && SPLIT_K <= 8)', reason = "clusters came with compute capability 9.0, and every GPU can run those of 8 blocks" },
  { expression = 'SPLIT_K == 1 || FINISH != "cluster" || BLOCK_M * BLOCK_N * 4 <= device_shared_bytes_per_block_optin', reason = "the sums that join in a cluster fit into shared memory" },
]

[default]
BLOCK_M = 64
BLOCK_N = 64
BLOCK_K = 16
THREAD_M = 4
THREAD_N = 4
LANES_M = 4
LANES = "rows"
LOAD = "registers"
LAYOUT_A = "turned"
VECTOR = 4
PAD_A = 4
STAGES = 1
FRAGMENTS = 1
ORDER = "rows"
UNROLL = 16
SPLIT_K = 1
FINISH = "launch"
GROUP = 1
MIN_BLOCKS = 1

[launch]
grid = ["SPLIT_K * ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N)", "1", "BATCH"]
block = ["BLOCK_M / THREAD_M * (BLOCK_N / THREAD_N)"]
shared_bytes = '4 * max(STAGES * BLOCK_K * (BLOCK_M + PAD_A + BLOCK_N), SPLIT_K > 1 && FINISH == "cluster" ? BLOCK_M * BLOCK_N : 0)'
cluster = ['SPLIT_K > 1 && FINISH == "cluster" ? SPLIT_K : 1']

[[launch.before]]
entry = "scale_c"
grid = ["min(ceil_div(M * N, 256), 1024)", "1", "BATCH"]
block = ["256"]
when = 'SPLIT_K > 1 && FINISH == "atomic"'

[[launch.after]]
entry = "join_partials"
grid = ["min(ceil_div(M * N, 256), 4096)", "1", "BATCH"]
block = ["256"]
when = 'SPLIT_K > 1 && FINISH == "launch"'

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "BATCH * M * K"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "f32"
count = "BATCH * K * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "c"
kind = "inout"
type = "f32"
count = "BATCH * M * N"
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

[[argument]]
name = "partials"
kind = "scratch"
type = "f32"
count = 'SPLIT_K > 1 && FINISH == "launch" ? SPLIT_K * BATCH * M * N : 1'

# An element is a sum of K products of variance 1/9, added in order: a partial sum of magnitude s is rounded by up to 2^-24 s, and s itself
# grows like sqrt(k) / 3 and reaches twice that in the largest of millions of elements. The random walk of those roundings is about
# 2e-8 K as standard deviation there; the largest of 4 million elements at K = 2048 was seen 8.4e-8 K off (H200). 3e-7 K leaves a
# factor of three, and a product left out (0.25 on average) still shows. The 16 more are for small K. The reference adds in double.
[check]
reference = "entry"
entry = "sgemm_reference"
grid = ["ceil_div(N, 32)", "min(ceil_div(M, 8), 65535)", "BATCH"]
block = ["32", "8"]
absolute = "3e-7 * (K + 16)"
relative = 1e-6
nondeterministic = 'SPLIT_K > 1 && FINISH == "atomic"'

[work]
flops = "2 * BATCH * M * N * K"
bytes = "4 * BATCH * (M * K + K * N + M * N)"
*/

constexpr int kUnroll = UNROLL;  // nvcc expands no macros in a pragma
constexpr int kLanesN = 32 / LANES_M;
constexpr int kWarpM = LANES_M * THREAD_M;  // a warp's part of the block's tile
constexpr int kWarpN = kLanesN * THREAD_N;
constexpr int kWarpsN = BLOCK_N / kWarpN;
constexpr int kPitchA = TURNED ? BLOCK_M + PAD_A : BLOCK_K;
constexpr int kTileA = TURNED ? BLOCK_K * kPitchA : BLOCK_M * BLOCK_K;
constexpr int kStage = kTileA + BLOCK_K * BLOCK_N;  // elements: A's tile, then B's, [BLOCK_K][BLOCK_N]
constexpr int kVectorA = COPY_ASYNC && TURNED ? 1 : VECTOR;

// A's tile lies turned, as [BLOCK_K][kPitchA], or as it is, as [BLOCK_M][BLOCK_K]. In the latter the 16-byte words of a row trade places so
// that the words at one place of consecutive rows lie in different banks.
__device__ __forceinline__ constexpr int swizzle(int row) { return row * BLOCK_K / 32 % (BLOCK_K / 4) * 4; }
__device__ __forceinline__ int place_of_a(int row, int step) {
  return TURNED ? step * kPitchA + row : row * BLOCK_K + (step ^ swizzle(row));
}
// From a thread's first row to its i-th. Of a turned tile it takes four consecutive ones, the next four after those of all lanes, so that a
// warp reads consecutive 16-byte words; columns are shared out so in both cases.
__device__ __forceinline__ constexpr int row_of(int i) { return TURNED ? i / 4 * LANES_M * 4 + i % 4 : i * LANES_M; }

template <int elements> struct WordOf;
template <> struct WordOf<1> { using Type = float; };
template <> struct WordOf<4> { using Type = float4; };
template <int elements>
union Pack {
  typename WordOf<elements>::Type word;
  float item[elements];
};

// How the threads share the loads of a tile whose rows are `row_words` words: thread 0 begins at its first element, others at `row` and
// `element`; each goes on by the same steps. THREADS divides row_words or is divided by it.
template <int row_words, int vector>
struct Share {
  int row, element;
  __device__ __forceinline__ explicit Share(int thread) : row(thread / row_words), element(thread % row_words * vector) {}
  __device__ __forceinline__ static constexpr int rows_on(int i) { return i * THREADS / row_words; }
  __device__ __forceinline__ static constexpr int elements_on(int i) { return i * THREADS % row_words * vector; }
  // From word i to the next, in global memory.
  __device__ __forceinline__ static long long step(int i, long long pitch) {
    return (rows_on(i + 1) - rows_on(i)) * pitch + elements_on(i + 1) - elements_on(i);
  }
};
using ShareA = Share<BLOCK_K / kVectorA, kVectorA>;
using ShareB = Share<BLOCK_N / VECTOR, VECTOR>;
constexpr int kWordsA = BLOCK_M * BLOCK_K / kVectorA / THREADS;
constexpr int kWordsB = BLOCK_N * BLOCK_K / VECTOR / THREADS;

// Copies 1 or 4 elements, past the registers where that is asked for; what does not exist becomes 0.
__device__ __forceinline__ void copy_async(float* to, const float* from, bool exists, int elements) {
#if COPY_ASYNC && defined(__CUDA_ARCH__)
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = exists ? elements * 4 : 0;
  if (elements == 4) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
  }
#else
  for (int i = 0; i < elements; ++i) to[i] = exists ? from[i] : 0.0f;
#endif
}

__device__ __forceinline__ void commit_copies() {
#if COPY_ASYNC && defined(__CUDA_ARCH__)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int pending>
__device__ __forceinline__ void wait_for_copies() {
#if COPY_ASYNC && defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}

// Loads a thread's words, the first at `source`, of a tile that is whole and whose rows start aligned. How far the next ones are is
// the same for all threads, which saves registers.
template <class Share, int vector, int words>
__device__ __forceinline__ void load_tile(Pack<vector> (&target)[words], const float* __restrict__ source, long long pitch) {
#pragma unroll
  for (int i = 0; i < words; ++i) {
    const float* from = source + Share::rows_on(i) * pitch + Share::elements_on(i);
    target[i].word = __ldg(reinterpret_cast<const typename WordOf<vector>::Type*>(from));
  }
}

__device__ __forceinline__ void store_tiles(float* stage, const Pack<kVectorA> (&a_words)[kWordsA], const Pack<VECTOR> (&b_words)[kWordsB],
                                            const ShareA& share_a, const ShareB& share_b) {
#pragma unroll
  for (int i = 0; i < kWordsA; ++i) {
#pragma unroll
    for (int j = 0; j < kVectorA; ++j) {
      stage[place_of_a(share_a.row + ShareA::rows_on(i), share_a.element + ShareA::elements_on(i) + j)] = a_words[i].item[j];
    }
  }
#pragma unroll
  for (int i = 0; i < kWordsB; ++i) {
    float* to = stage + kTileA + (share_b.row + ShareB::rows_on(i)) * BLOCK_N + share_b.element + ShareB::elements_on(i);
    *reinterpret_cast<typename WordOf<VECTOR>::Type*>(to) = b_words[i].word;
  }
}

// The same past the registers.
__device__ __forceinline__ void copy_tiles(float* stage, const float* __restrict__ a_source, const float* __restrict__ b_source, long long k,
                                           long long n, const ShareA& share_a, const ShareB& share_b) {
#pragma unroll
  for (int i = 0; i < kWordsA; ++i) {
    copy_async(stage + place_of_a(share_a.row + ShareA::rows_on(i), share_a.element + ShareA::elements_on(i)), a_source, true, kVectorA);
    a_source += ShareA::step(i, k);
  }
#pragma unroll
  for (int i = 0; i < kWordsB; ++i) {
    float* to = stage + kTileA + (share_b.row + ShareB::rows_on(i)) * BLOCK_N + share_b.element + ShareB::elements_on(i);
    copy_async(to, b_source, true, VECTOR);
    b_source += ShareB::step(i, n);
  }
}

// Copies tiles that are not whole or not aligned; what is outside of the matrices is 0. `width` is 4 where rows start aligned, else 1. Loops
// that are not unrolled, past the registers: the edge takes little of the time, and unrolled it took half of the compiler's.
__device__ __forceinline__ void copy_edge_tiles(float* stage, const float* __restrict__ a_source, const float* __restrict__ b_source,
                                                long long k, long long n, int rows, int depth, int columns, int width) {
  const int a_width = COPY_ASYNC && !TURNED ? width : 1;
  const int b_width = COPY_ASYNC ? width : 1;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) * a_width; i < BLOCK_M * BLOCK_K; i += THREADS * a_width) {
    const int row = i / BLOCK_K;
    const int step = i % BLOCK_K;
    const bool exists = row < rows && step < depth;
    copy_async(stage + place_of_a(row, step), exists ? a_source + row * k + step : a_source, exists, a_width);
  }
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) * b_width; i < BLOCK_K * BLOCK_N; i += THREADS * b_width) {
    const int step = i / BLOCK_N;
    const int column = i % BLOCK_N;
    const bool exists = step < depth && column < columns;
    copy_async(stage + kTileA + i, exists ? b_source + step * n + column : b_source, exists, b_width);
  }
}

__device__ __forceinline__ void read_word(float* items, const float* from) {
  const float4 word = *reinterpret_cast<const float4*>(from);
  items[0] = word.x, items[1] = word.y, items[2] = word.z, items[3] = word.w;
}

// A thread's operands of one step; where A's tile lies as it is, those of four steps.
struct Operands {
  float a[THREAD_M][TURNED ? 1 : 4];
  float b[THREAD_N];
};

// Where a thread's operands begin in a stage.
struct Places {
  int a, b;
};

__device__ __forceinline__ void read_a(Operands& operands, const float* stage, const Places& places, int step) {
#pragma unroll
  for (int i = 0; i < THREAD_M; i += TURNED ? 4 : 1) {
    if (TURNED) {
      float word[4];
      read_word(word, stage + places.a + step * kPitchA + row_of(i));
#pragma unroll
      for (int j = 0; j < 4; ++j) operands.a[i + j][0] = word[j];
    } else {
      read_word(operands.a[i], stage + (places.a ^ step ^ swizzle(row_of(i))) + row_of(i) * BLOCK_K);
    }
  }
}

__device__ __forceinline__ void read_b(Operands& operands, const float* stage, const Places& places, int step) {
#pragma unroll
  for (int j = 0; j < THREAD_N; j += 4) read_word(operands.b + j, stage + places.b + step * BLOCK_N + j * kLanesN);
}

__device__ __forceinline__ void multiply(float (&sums)[THREAD_M][THREAD_N], const Operands& a, const Operands& b, int step) {
  const int item = TURNED ? 0 : step % 4;
#pragma unroll
  for (int outer = 0; outer < (BY_COLUMNS ? THREAD_N : THREAD_M); ++outer) {
#pragma unroll
    for (int inner = 0; inner < (BY_COLUMNS ? THREAD_M : THREAD_N); ++inner) {
      const int i = BY_COLUMNS ? inner : outer;
      const int j = BY_COLUMNS ? outer : SNAKE && outer % 2 == 1 ? THREAD_N - 1 - inner : inner;
      sums[i][j] += a.a[i][item] * b.b[j];
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

// Adds to four elements in memory.
__device__ __forceinline__ void add_if(float* to, const float4& word, bool condition) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p red.global.add.v4.f32 [%4], {%0, %1, %2, %3}; }" ::"f"(word.x), "f"(word.y),
               "f"(word.z), "f"(word.w), "l"(__cvta_generic_to_global(to)), "r"(static_cast<int>(condition))
               : "memory");
#else
  if (!condition) return;
  atomicAdd(to, word.x);
  atomicAdd(to + 1, word.y);
  atomicAdd(to + 2, word.z);
  atomicAdd(to + 3, word.w);
#endif
}

#if JOIN_CLUSTER
__device__ __forceinline__ void meet_in_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// Four elements of shared memory of the cluster's block `rank`, at the place of this block's.
__device__ __forceinline__ float4 read_from_block(const float* from, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))), "r"(rank));
  float4 word;
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(word.x), "=f"(word.y), "=f"(word.z), "=f"(word.w)
               : "r"(there)
               : "memory");
  return word;
}
#endif

// C's four elements at `to`, of which the first `columns` exist, from the sums in `word`.
__device__ __forceinline__ void finish_word(float* to, const float4& word, float alpha, float beta, long long columns, bool aligned) {
  if (aligned) {
    float4 old = {0.0f, 0.0f, 0.0f, 0.0f};
    if (beta != 0.0f) old = *reinterpret_cast<const float4*>(to);
    old.x = alpha * word.x + beta * old.x;
    old.y = alpha * word.y + beta * old.y;
    old.z = alpha * word.z + beta * old.z;
    old.w = alpha * word.w + beta * old.w;
    *reinterpret_cast<float4*>(to) = old;
  } else {
    const float items[4] = {word.x, word.y, word.z, word.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i < columns) to[i] = alpha * items[i] + (beta != 0.0f ? beta * to[i] : 0.0f);
    }
  }
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, long long m, long long n, long long k,
          float alpha, float beta, float* __restrict__ partials) {
  extern __shared__ float4 shared_words[];
  float* const stages = reinterpret_cast<float*>(shared_words);
  const int thread = static_cast<int>(threadIdx.x);

  // Blocks go down GROUP tile rows before they go on to the next tile column; those that share a tile follow each other.
  const unsigned part = blockIdx.x % SPLIT_K;
  const unsigned tile = blockIdx.x / SPLIT_K;
  const unsigned tiles_m = static_cast<unsigned>((m + BLOCK_M - 1) / BLOCK_M);
  const unsigned tiles_n = static_cast<unsigned>((n + BLOCK_N - 1) / BLOCK_N);
  const unsigned group = tile / (GROUP * tiles_n);
  const unsigned in_group = tile % (GROUP * tiles_n);
  const unsigned left = tiles_m - group * GROUP;
  const unsigned height = left < GROUP ? left : GROUP;
  const long long row0 = static_cast<long long>(group * GROUP + in_group % height) * BLOCK_M;
  const long long column0 = static_cast<long long>(in_group / height) * BLOCK_N;
  const int rows_here = static_cast<int>(row0 + BLOCK_M <= m ? BLOCK_M : m - row0);
  const int columns_here = static_cast<int>(column0 + BLOCK_N <= n ? BLOCK_N : n - column0);

  // The block's part of K, in whole tiles.
  const long long tiles_k = (k + BLOCK_K - 1) / BLOCK_K;
  const long long first_tile = tiles_k * part / SPLIT_K;
  const int tiles = static_cast<int>(tiles_k * (part + 1) / SPLIT_K - first_tile);
  const long long k0 = first_tile * BLOCK_K;

  // Whole tiles whose rows start aligned are loaded by words, others piece by piece.
  const bool aligned_a = k % 4 == 0 && reinterpret_cast<size_t>(a) % 16 == 0;
  const bool aligned_b = n % 4 == 0 && reinterpret_cast<size_t>(b) % 16 == 0;
  const bool inside = (kVectorA == 1 || aligned_a) && (VECTOR == 1 || aligned_b) && row0 + BLOCK_M <= m && column0 + BLOCK_N <= n;
  a += (blockIdx.z * m + row0) * k + k0;
  b += (blockIdx.z * k + k0) * n + column0;
  c += blockIdx.z * m * n;

  const ShareA share_a(thread);
  const ShareB share_b(thread);
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int lane_m = PAIRED ? lane / (2 * kLanesN) * 2 + lane % 2 : lane / kLanesN;
  const int lane_n = PAIRED ? lane / 2 % kLanesN : lane % kLanesN;
  const int row_in_tile = warp / kWarpsN * kWarpM + lane_m * (TURNED ? 4 : 1);
  const int column_in_tile = warp % kWarpsN * kWarpN + lane_n * 4;
  const Places places = {TURNED ? row_in_tile : place_of_a(row_in_tile, 0), kTileA + column_in_tile};

  float sums[THREAD_M][THREAD_N];
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) sums[i][j] = 0.0f;
  }

  const int whole_tiles = inside ? static_cast<int>((k - k0) / BLOCK_K) : 0;
  const auto copy_edge = [&](float* to, int index) {
    const long long done = static_cast<long long>(index) * BLOCK_K;
    const int depth = static_cast<int>(k0 + done + BLOCK_K <= k ? BLOCK_K : k - k0 - done);
    copy_edge_tiles(to, a + done, b + done * n, k, n, rows_here, depth, columns_here, aligned_a && aligned_b ? 4 : 1);
  };

  const float* a_source = a + share_a.row * k + share_a.element;  // of the next tile to bring in
  const float* b_source = b + share_b.row * n + share_b.element;
#if COPY_ASYNC
  const auto copy = [&](int index, int stage) {
    float* const to = stages + stage * kStage;
    if (index < whole_tiles) {
      copy_tiles(to, a_source, b_source, k, n, share_a, share_b);
    } else {
      copy_edge(to, index);
    }
    a_source += BLOCK_K;
    b_source += BLOCK_K * n;
  };
#endif

  int stage = 0;  // that the block computes on
#if COPY_ASYNC
#pragma unroll 1
  for (int i = 0; i < STAGES; ++i) {
    if (i < tiles) copy(i, i);
    commit_copies();
  }
  wait_for_copies<STAGES - 1>();
  __syncthreads();
#else
  Pack<kVectorA> a_words[kWordsA];
  Pack<VECTOR> b_words[kWordsB];
  const auto load = [&](int index) {
    if (index < whole_tiles) {
      load_tile<ShareA>(a_words, a_source, k);
      load_tile<ShareB>(b_words, b_source, n);
    }
    a_source += BLOCK_K;
    b_source += BLOCK_K * n;
  };
  const auto store = [&](int index, float* to) {
    if (index < whole_tiles) {
      store_tiles(to, a_words, b_words, share_a, share_b);
    } else {
      copy_edge(to, index);
    }
  };
  if (tiles > 0) {
    load(0);
    store(0, stages);
  }
  __syncthreads();
#endif

  // Ends the work on a tile and makes sure of the next.
  const auto advance = [&](int index) {
#if COPY_ASYNC
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    if (index + STAGES < tiles) copy(index + STAGES, stage);
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    commit_copies();
#else
    if (STAGES > 1) {
      stage ^= 1;
    } else {
      __syncthreads();
    }
    if (index + 1 < tiles) store(index + 1, stages + stage * kStage);
    __syncthreads();
#endif
  };

  Operands operands[FRAGMENTS];
#if FRAGMENTS == 2
  read_a(operands[0], stages, places, 0);
  read_b(operands[0], stages, places, 0);
#endif
#pragma unroll 1
  for (int index = 0; index < tiles; ++index) {
#if !COPY_ASYNC
    if (index + 1 < tiles) load(index + 1);
#endif
    const float* current = stages + stage * kStage;
#pragma unroll kUnroll
    for (int step = 0; step < BLOCK_K; ++step) {
#if FRAGMENTS == 2
      if (step + 1 == BLOCK_K) {
        advance(index);
        current = stages + stage * kStage;
      }
      const int next = (step + 1) % BLOCK_K;
      read_b(operands[(step + 1) % 2], current, places, next);
      if (TURNED) {
        read_a(operands[(step + 1) % 2], current, places, next);
        multiply(sums, operands[step % 2], operands[step % 2], step);
      } else if (step % 4 == 3) {
        read_a(operands[(step / 4 + 1) % 2], current, places, next);
        multiply(sums, operands[step / 4 % 2], operands[step % 2], step);
      } else {
        multiply(sums, operands[step / 4 % 2], operands[step % 2], step);
      }
#else
      if (TURNED || step % 4 == 0) read_a(operands[0], current, places, step);
      read_b(operands[0], current, places, step);
      multiply(sums, operands[0], operands[0], step);
#endif
    }
#if FRAGMENTS == 1
    advance(index);
#endif
  }

#if JOIN_CLUSTER
  // Each block of the cluster joins the sums of its part of the tile's words.
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4) {
      *reinterpret_cast<float4*>(stages + (row_in_tile + row_of(i)) * BLOCK_N + column_in_tile + j * kLanesN) = {
          sums[i][j ^ SNAKE], sums[i][(j + 1) ^ SNAKE], sums[i][(j + 2) ^ SNAKE], sums[i][(j + 3) ^ SNAKE]};
    }
  }
  meet_in_cluster();
  const bool aligned_c = n % 4 == 0 && reinterpret_cast<size_t>(c) % 16 == 0;
#pragma unroll 1
  for (int i = (static_cast<int>(part) * THREADS + thread) * 4; i < BLOCK_M * BLOCK_N; i += SPLIT_K * THREADS * 4) {
    const int row = i / BLOCK_N;
    const int column = i % BLOCK_N;
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (unsigned rank = 0; rank < SPLIT_K; ++rank) {
      const float4 word = read_from_block(stages + i, rank);
      sum.x += word.x, sum.y += word.y, sum.z += word.z, sum.w += word.w;
    }
#if SNAKE
    sum = {sum.y, sum.x, sum.w, sum.z};
#endif
    if (row < rows_here && column < columns_here) {
      finish_word(c + (row0 + row) * n + column0 + column, sum, alpha, beta, columns_here - column, aligned_c);
    }
  }
  meet_in_cluster();  // a block's memory stays until all have read it
#else
  const int rows_left = rows_here - row_in_tile;
  const int columns_left = columns_here - column_in_tile;
#if JOIN_LAUNCH
  c = partials + (static_cast<long long>(part) * gridDim.z + blockIdx.z) * m * n;
  alpha = 1.0f;
  beta = 0.0f;
#endif
  float* corner = c + (row0 + row_in_tile) * n + column0 + column_in_tile;
  if (n % 4 == 0 && reinterpret_cast<size_t>(c) % 16 == 0) {  // columns are multiples of 4: a word is inside whole or not at all
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
      for (int j = 0; j < THREAD_N; j += 4) {
        const int column = j * kLanesN;
        const bool exists = row_of(i) < rows_left && column < columns_left;
        float* const to = corner + row_of(i) * n + column;
        float4 word = {0.0f, 0.0f, 0.0f, 0.0f};
#if !JOIN_ATOMIC
        load_if(word, to, exists && beta != 0.0f);
#endif
        word.x = alpha * sums[i][j] + beta * word.x;
        word.y = alpha * sums[i][j + 1] + beta * word.y;
        word.z = alpha * sums[i][j + 2] + beta * word.z;
        word.w = alpha * sums[i][j + 3] + beta * word.w;
#if JOIN_ATOMIC
        add_if(to, word, exists);
#else
        store_if(to, word, exists);
#endif
      }
    }
  } else {
    // In local memory, for a loop that is not unrolled. The compiler copies four at a time, hence holds four neighbours of this array in
    // four neighbouring registers, and neighbours lie in different banks: their order here decides the banks of the sums everywhere.
    float kept[THREAD_M * THREAD_N];
#pragma unroll
    for (int i = 0; i < THREAD_M * THREAD_N; ++i) kept[i] = sums[i / THREAD_N][(i % THREAD_N) ^ SNAKE];
#pragma unroll 1
    for (int index = 0; index < THREAD_M * THREAD_N; ++index) {
      const int row = row_of(index / THREAD_N);
      const int j = (index % THREAD_N) ^ SNAKE;
      const int column = j / 4 * kLanesN * 4 + j % 4;
      if (row >= rows_left || column >= columns_left) continue;
      float* to = corner + row * n + column;
#if JOIN_ATOMIC
      atomicAdd(to, alpha * kept[index]);
#else
      *to = alpha * kept[index] + (beta != 0.0f ? beta * *to : 0.0f);
#endif
    }
  }
#endif
}

// Runs before atomic additions.
__global__ void __launch_bounds__(256) scale_c(const float* __restrict__, const float* __restrict__, float* __restrict__ c, long long m,
                                               long long n, long long, float, float beta, float* __restrict__) {
#if JOIN_ATOMIC
  const long long count = m * n;
  c += blockIdx.z * count;
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll) c[i] = beta != 0.0f ? beta * c[i] : 0.0f;
#endif
}

// Runs after partial sums are stored.
__global__ void __launch_bounds__(256)
    join_partials(const float* __restrict__, const float* __restrict__, float* __restrict__ c, long long m, long long n, long long,
                  float alpha, float beta, float* __restrict__ partials) {
#if JOIN_LAUNCH
  const long long count = m * n;
  c += blockIdx.z * count;
  partials += blockIdx.z * count;
  const bool aligned = n % 4 == 0 && reinterpret_cast<size_t>(c) % 16 == 0;
  const int width = aligned ? 4 : 1;
  for (long long i = (blockIdx.x * 256ll + threadIdx.x) * width; i < count; i += gridDim.x * 256ll * width) {
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 8
    for (int part = 0; part < SPLIT_K; ++part) {
      const float* from = partials + part * gridDim.z * count + i;
      if (aligned) {
        const float4 word = __ldcs(reinterpret_cast<const float4*>(from));
        sum.x += word.x, sum.y += word.y, sum.z += word.z, sum.w += word.w;
      } else {
        sum.x += *from;
      }
    }
    finish_word(c + i, sum, alpha, beta, 1, aligned);
  }
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void sgemm_reference(const float* a, const float* b, float* c, long long m, long long n, long long k, float alpha, float beta,
                                float*) {
  a += blockIdx.z * m * k;
  b += blockIdx.z * k * n;
  c += blockIdx.z * m * n;
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
