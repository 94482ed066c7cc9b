/* warptune
[kernel]
name = "batched_gemm"
description = "C = alpha A B for many small matrices"
about = """
Computes `C[i] = alpha A[i] B[i]` for `BATCH` products of matrices of one small size. Each A is `M x K`, each B is `K x
N` and each C is `M x N`. All matrices are row-major and packed, and they lie one after the other in memory. The sizes,
from 1 to 64 each, are compiled in. The number of products may be any. Types are f32, f64 and f16; f16 products are
added in single precision.

Up to a size of about 64, memory limits the kernel. The shortest possible time is then that of reading A and B and
writing C once. A block takes as many matrices as its threads can compute. These matrices are adjacent in memory. So the
block always loads whole vectors, whatever the size of a matrix.

The parameters choose the tile of C that a thread computes and the width of each access. `LOAD` chooses whether threads
read their operands from global memory or from tiles in shared memory. These tiles are filled through registers or by
`cp.async`, and padding can avoid bank conflicts. Persistent blocks can load the next matrices while they multiply.

If A or B is not aligned to 16 bytes, a plain loop computes the product. It is correct but slow. `FMA_ORDER` has the
same meaning as in [sgemm](sgemm.md). From a size of 32 on, products of `f32` also come near to the limit of the
arithmetic units, although memory still limits them. Therefore register bank conflicts become visible.
"""
vendor = "cublasGemmStridedBatchedEx with CUBLAS_COMPUTE_32F_PEDANTIC (f64: CUBLAS_COMPUTE_64F)"
entry = "batched_gemm"
recommended = "batched_gemm.recommended.toml"

[kernel.defines]
M_SIZE = "M"
N_SIZE = "N"
K_SIZE = "K"
TILES = "ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N)"
MATRICES = "max(1, BLOCK / (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N)))"
STAGED = 'LOAD != "direct"'
LOAD_ASYNC = 'LOAD == "async"'
IS_HALF = 'dtype == "f16"'
IS_DOUBLE = 'dtype == "f64"'
PERSISTENT = "BLOCKS_PER_SM > 0"
SERPENTINE = 'FMA_ORDER == "serpentine"'

[problem]
M = { value = 16, description = "rows of each A and C, 1 to 64" }
N = { value = 16, description = "columns of each B and C, 1 to 64" }
K = { value = 16, description = "columns of each A and rows of each B, 1 to 64" }
BATCH = { value = 262144, description = "products" }
dtype = { value = "f32", description = "type of the elements" }

[problem_values]
dtype = ["f32", "f64", "f16"]

[parameters]
BLOCK.values = [32, 64, 128, 256, 512]
BLOCK.description = """\
  wanted threads per block; the real number is a multiple of the threads that one matrix needs"""
THREAD_M = { values = [1, 2, 4, 8], description = "rows of C that a thread computes" }
THREAD_N = { values = [1, 2, 4, 8], description = "columns of C that a thread computes" }
LOAD.values = ["direct", "registers", "async"]
LOAD.description = """\
  from where threads read their operands: from global memory (direct), or from shared memory, which is filled through \
  registers (registers) or by cp.async (async)"""
VECTOR = { values = [1, 2, 4, 8], when = 'LOAD != "direct"', description = "elements per load into shared memory" }
VECTOR_K = { values = [1, 2, 4, 8], description = "elements of a row of A, along K, that a thread reads at once" }
PAD_ROW.values = [0, 1]
PAD_ROW.when = 'LOAD != "direct"'
PAD_ROW.description = "padding after each row in shared memory, in units of VECTOR elements"
PAD_MATRIX.values = [0, 1]
PAD_MATRIX.when = 'LOAD != "direct"'
PAD_MATRIX.description = "padding after each matrix in shared memory, in units of VECTOR elements"
STAGES.values = [1, 2, 3]
STAGES.when = 'LOAD == "async" && BLOCKS_PER_SM > 0'
STAGES.description = "stages in shared memory; each holds the group of matrices that a block multiplies"
BLOCKS_PER_SM.values = [0, 1, 2, 4, 8, 16]
BLOCKS_PER_SM.description = """\
  persistent blocks per SM, each of which loops over the batch; 0: one group of matrices per block"""
FMA_ORDER.values = ["row_major", "serpentine"]
FMA_ORDER.when = 'LOAD != "direct" && THREAD_M * THREAD_N >= 16 && dtype != "f64"'
FMA_ORDER.description = """\
  order of the multiply-adds of a step along K; row_major: row by row; serpentine: even rows from left to right, odd \
  rows from right to left, and adjacent sums are kept in each other's registers, which avoids register bank conflicts"""
UNROLL_K = { values = [4, 16, 64], description = "unrolled steps along K" }
STREAMING_STORES.values = [false, true]
STREAMING_STORES.description = "whether C is stored with the hint that it is not read again"

[constraints]
list = [
  { reason = "the kernel supports only matrices of at most 64 rows and columns", expression = """\
      M <= 64 && N <= 64 && K <= 64""" },
  { reason = "the widest access is 16 bytes", expression = """\
      VECTOR * sizeof(dtype) <= 16 && VECTOR_K * sizeof(dtype) <= 16""" },
  { reason = "the sums of a thread fit into its registers", expression = """\
      THREAD_M * THREAD_N * max(sizeof(dtype), 4) <= 256""" },
  { reason = "a tile at least twice as high as C wastes half of its rows or more", expression = """\
      THREAD_M == 1 || THREAD_M < 2 * M""" },
  { reason = "a tile at least twice as wide as C wastes half of its columns or more", expression = """\
      THREAD_N == 1 || THREAD_N < 2 * N""" },
  { reason = """\
      a block has enough threads for one matrix; with BLOCK = 128 (the default) the block grows up to 1024 threads if \
      one matrix needs them""", expression = """\
      ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N) <= (BLOCK == 128 ? 1024 : BLOCK)""" },
  { expression = "K % VECTOR_K == 0", reason = "a row of A consists of whole reads of VECTOR_K elements" },
  { reason = "reads from shared memory are aligned", expression = """\
      VECTOR_K == 1 || LOAD == "direct" || PAD_ROW == 0 || VECTOR % VECTOR_K == 0""" },
  { reason = "where rows are padded, a load stays within one row", expression = """\
      PAD_ROW == 0 || (K % VECTOR == 0 && N % VECTOR == 0)""" },
  { reason = "where matrices are padded, a load stays within one matrix", expression = """\
      PAD_MATRIX == 0 || (M * K % VECTOR == 0 && K * N % VECTOR == 0)""" },
  { reason = "the matrices of a block start at an aligned address", expression = """\
      max(1, BLOCK / (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N))) * M * K % VECTOR == 0 \
      && max(1, BLOCK / (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N))) * K * N % VECTOR == 0""" },
  { reason = "cp.async needs compute capability 8.0 and copies at least 4 bytes", expression = """\
      LOAD != "async" || (device_compute_capability >= 80 && VECTOR * sizeof(dtype) >= 4)""" },
  { reason = "all persistent blocks must be resident at once", expression = """\
      BLOCK * BLOCKS_PER_SM <= device_max_threads_per_sm""" },
  { reason = """\
      the matrices of all persistent blocks of an SM, or of one block, fit into shared memory""", expression = """\
      LOAD == "direct" || max(1, BLOCKS_PER_SM) * (1024 \
      + STAGES * sizeof(dtype) * max(1, BLOCK / (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N))) \
      * (M * (K + PAD_ROW * VECTOR) + K * (N + PAD_ROW * VECTOR) + 2 * PAD_MATRIX * VECTOR)) \
      <= device_shared_bytes_per_sm + 1024""" },
  { reason = "the matrices of a block fit into shared memory", expression = """\
      LOAD == "direct" || STAGES * sizeof(dtype) * max(1, BLOCK / (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N))) \
      * (M * (K + PAD_ROW * VECTOR) + K * (N + PAD_ROW * VECTOR) + 2 * PAD_MATRIX * VECTOR) \
      <= device_shared_bytes_per_block_optin - 64""" },
  { expression = "UNROLL_K == 4 || UNROLL_K < 4 * K", reason = """\
    the smallest value that is at least K unrolls the whole loop, so larger values gain nothing""" },
]

[default]
BLOCK = 128
THREAD_M = 4
THREAD_N = 4
LOAD = "direct"
VECTOR = 1
VECTOR_K = 1
PAD_ROW = 0
PAD_MATRIX = 0
STAGES = 1
BLOCKS_PER_SM = 0
FMA_ORDER = "row_major"
UNROLL_K = 4
STREAMING_STORES = false

[launch]
grid = ["""\
  BLOCKS_PER_SM == 0 ? ceil_div(BATCH, max(1, BLOCK / (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N)))) \
  : min(ceil_div(BATCH, max(1, BLOCK / (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N)))), \
  BLOCKS_PER_SM * device_sm_count)"""]
block = ["""\
  max(1, BLOCK / (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N))) * (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N))"""]
shared_bytes = """\
  LOAD == "direct" ? 0 : STAGES * 16 * (ceil_div(max(1, BLOCK / (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N))) \
  * (M * (K + PAD_ROW * VECTOR) + PAD_MATRIX * VECTOR) * sizeof(dtype), 16) \
  + ceil_div(max(1, BLOCK / (ceil_div(M, THREAD_M) * ceil_div(N, THREAD_N))) \
  * (K * (N + PAD_ROW * VECTOR) + PAD_MATRIX * VECTOR) * sizeof(dtype), 16))"""

[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "BATCH * M * K"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "dtype"
count = "BATCH * K * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "c"
kind = "out"
type = "dtype"
count = "BATCH * M * N"

[[argument]]
name = "batch"
kind = "scalar"
type = "i64"
value = "BATCH"

[[argument]]
name = "alpha"
kind = "scalar"
type = "f32"
value = "1.0"

# An element is a sum of K <= 64 products of magnitude up to 1, which are added in order. Let u be the unit roundoff of
# the accumulator, 2^-24 or 2^-53. Each addition is rounded by at most u times the sum so far. The sum is at most K, and
# typically sqrt(K) / 3. Hence the total error is far below u K sqrt(K). The bound of 5 u (K + 16) is above that up to K
# = 64 and leaves room for the product's own rounding. A result in f16 is rounded once more, by 2^-11 of itself, and so
# is the reference.
[check]
reference = "entry"
entry = "batched_gemm_reference"
grid = ["min(ceil_div(BATCH * M * N, 256), 65535)"]
block = ["256"]
absolute = '(dtype == "f64" ? 6e-16 : 3e-7) * (K + 16)'
relative = 'dtype == "f16" ? 1.1e-3 : dtype == "f64" ? 1e-15 : 1e-6'

[work]
flops = "2 * BATCH * M * N * K"
bytes = "BATCH * (M * K + K * N + M * N) * sizeof(dtype)"
*/

#if IS_HALF
#include <cuda_fp16.h>
#endif

#include "memory_access.cuh"

#if IS_DOUBLE
using Sum = double;
#else
using Sum = float;
#endif

__device__ __forceinline__ Sum widen(dtype value) {
#if IS_HALF
  return __half2float(value);
#else
  return value;
#endif
}

__device__ __forceinline__ dtype narrow(Sum value) {
#if IS_HALF
  return __float2half(value);
#else
  return value;
#endif
}

// The largest power of two that is at most `limit` and divides x, y and z.
__host__ __device__ constexpr int common_width(int limit, int x, int y, int z) {
  int width = 1;
  while (width * 2 <= limit && x % (width * 2) == 0 && y % (width * 2) == 0 && z % (width * 2) == 0)
    width *= 2;
  return width;
}

constexpr int kUnroll = UNROLL_K;  // nvcc expands no macros in a pragma
constexpr int kThreads = MATRICES * TILES;
constexpr int kTilesM = (M_SIZE + THREAD_M - 1) / THREAD_M;
constexpr int kTilesN = (N_SIZE + THREAD_N - 1) / THREAD_N;
constexpr int kSize = sizeof(dtype);
// Elements from row to row and from matrix to matrix, where threads read their operands.
constexpr int kPitchA = K_SIZE + (STAGED ? PAD_ROW * VECTOR : 0);
constexpr int kPitchB = N_SIZE + (STAGED ? PAD_ROW * VECTOR : 0);
constexpr int kStrideA = M_SIZE * kPitchA + (STAGED ? PAD_MATRIX * VECTOR : 0);
constexpr int kStrideB = K_SIZE * kPitchB + (STAGED ? PAD_MATRIX * VECTOR : 0);
constexpr int kReadK = common_width(VECTOR_K, K_SIZE, kPitchA, kStrideA);
constexpr int kReadN = common_width(THREAD_N < 16 / kSize ? THREAD_N : 16 / kSize, N_SIZE, kPitchB, kStrideB);
constexpr int kSteps = kUnroll / kReadK > 0 ? kUnroll / kReadK : 1;

template <int elements>
using Word = typename WordOf<elements * kSize>::Type;

template <int elements>
union Pack {
  Word<elements> word;
  dtype item[elements];
  __device__ __forceinline__ Pack() {}
};

template <int elements>
__device__ __forceinline__ Pack<elements> read(const dtype* from) {
  Pack<elements> pack;
#if STAGED
  pack.word = *reinterpret_cast<const Word<elements>*>(from);
#else
  pack.word = __ldg(reinterpret_cast<const Word<elements>*>(from));
#endif
  return pack;
}

template <int elements>
__device__ __forceinline__ void write(dtype* to, const Pack<elements>& pack) {
#if STREAMING_STORES
  __stcs(reinterpret_cast<Word<elements>*>(to), pack.word);
#else
  *reinterpret_cast<Word<elements>*>(to) = pack.word;
#endif
}

// A thread's tile of C from A and B, which start at `a` and `b`. The thread has every kTilesM-th row from `row` on,
// and of the columns every kTilesN-th group of kReadN from `column` on; those past the end repeat the last and are
// not stored.
__device__ __forceinline__ void multiply(dtype* c, const dtype* a, const dtype* b, float alpha, int row,
                                         int column) {
  Sum sums[THREAD_M][THREAD_N];
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) sums[i][j] = 0;
  }
  int rows[THREAD_M], columns[THREAD_N / kReadN];
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    rows[i] = row + i * kTilesM;
    if (M_SIZE % THREAD_M != 0 && rows[i] >= M_SIZE) rows[i] = M_SIZE - 1;
  }
#pragma unroll
  for (int j = 0; j < THREAD_N / kReadN; ++j) {
    columns[j] = (column + j * kTilesN) * kReadN;
    if (N_SIZE % THREAD_N != 0 && columns[j] >= N_SIZE) columns[j] = N_SIZE - kReadN;
  }
#pragma unroll kSteps
  for (int step = 0; step < K_SIZE; step += kReadK) {
    Pack<kReadK> a_part[THREAD_M];
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) a_part[i] = read<kReadK>(a + rows[i] * kPitchA + step);
#pragma unroll
    for (int s = 0; s < kReadK; ++s) {
      Pack<kReadN> b_part[THREAD_N / kReadN];
#pragma unroll
      for (int j = 0; j < THREAD_N / kReadN; ++j)
        b_part[j] = read<kReadN>(b + (step + s) * kPitchB + columns[j]);
#pragma unroll
      for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
        for (int inner = 0; inner < THREAD_N; ++inner) {
          const int j = SERPENTINE && i % 2 == 1 ? THREAD_N - 1 - inner : inner;
          sums[i][j] += widen(a_part[i].item[s]) * widen(b_part[j / kReadN].item[j % kReadN]);
        }
      }
    }
  }
  if (reinterpret_cast<size_t>(c) % (kReadN * kSize) == 0) {
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
      for (int j = 0; j < THREAD_N; j += kReadN) {
        const int to_row = row + i * kTilesM;
        const int to_column = (column + j / kReadN * kTilesN) * kReadN;
        if ((M_SIZE % THREAD_M != 0 && to_row >= M_SIZE) || (N_SIZE % THREAD_N != 0 && to_column >= N_SIZE))
          continue;
        Pack<kReadN> pack;
#pragma unroll
        for (int s = 0; s < kReadN; ++s) pack.item[s] = narrow(alpha * sums[i][j + s]);
        write<kReadN>(c + to_row * N_SIZE + to_column, pack);
      }
    }
  } else {
    // In local memory, for a loop that is not unrolled. The compiler copies four at a time, hence holds four
    // neighbours of this array in four neighbouring registers, and neighbours lie in different banks: their order
    // here decides the banks of the sums everywhere.
    Sum kept[THREAD_M * THREAD_N];
#pragma unroll
    for (int i = 0; i < THREAD_M * THREAD_N; ++i) kept[i] = sums[i / THREAD_N][(i % THREAD_N) ^ SERPENTINE];
#pragma unroll 1
    for (int index = 0; index < THREAD_M * THREAD_N; ++index) {
      const int j = (index % THREAD_N) ^ SERPENTINE;
      const int to_row = row + index / THREAD_N * kTilesM;
      const int to_column = (column + j / kReadN * kTilesN) * kReadN + j % kReadN;
      if (to_row < M_SIZE && to_column < N_SIZE) c[to_row * N_SIZE + to_column] = narrow(alpha * kept[index]);
    }
  }
}

#include "batched_gemm_copies.cuh"

__global__ void __launch_bounds__(kThreads)
    batched_gemm(const dtype* __restrict__ a, const dtype* __restrict__ b, dtype* __restrict__ c,
                 long long batch, float alpha) {
  const int thread = static_cast<int>(threadIdx.x);
  if ((reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(b)) % 16 != 0) {
#pragma unroll 1
    for (long long i = blockIdx.x * static_cast<long long>(kThreads) + thread; i < batch * (M_SIZE * N_SIZE);
         i += gridDim.x * static_cast<long long>(kThreads)) {
      const long long matrix = i / (M_SIZE * N_SIZE);
      const int row = static_cast<int>(i % (M_SIZE * N_SIZE)) / N_SIZE;
      const int column = static_cast<int>(i % (M_SIZE * N_SIZE)) % N_SIZE;
      Sum sum = 0;
#pragma unroll 1
      for (int step = 0; step < K_SIZE; ++step) {
        sum += widen(a[(matrix * M_SIZE + row) * K_SIZE + step]) *
               widen(b[(matrix * K_SIZE + step) * N_SIZE + column]);
      }
      c[i] = narrow(alpha * sum);
    }
    return;
  }

  const int in_group = thread / TILES;
  const int row = thread % TILES / kTilesN;
  const int column = thread % TILES % kTilesN;
#if STAGED
  extern __shared__ uint4 shared_words[];
  unsigned char* const stages = reinterpret_cast<unsigned char*>(shared_words);
#if PERSISTENT
#pragma unroll 1
  for (int i = 0; i < STAGES - 1; ++i)
    copy_group(stages + i * (kBytesA + kBytesB), a, b, blockIdx.x + i * static_cast<long long>(gridDim.x),
               batch);
  int stage = 0;
#pragma unroll 1
  for (long long group = blockIdx.x; group * MATRICES < batch; group += gridDim.x) {
    const int next = stage == 0 ? STAGES - 1 : stage - 1;
    copy_group(stages + next * (kBytesA + kBytesB), a, b,
               group + (STAGES - 1) * static_cast<long long>(gridDim.x), batch);
#else
  {
    constexpr int stage = 0;
    const long long group = blockIdx.x;
    copy_group(stages, a, b, group, batch);
#endif
#if LOAD_ASYNC
    wait_for_copies<STAGES - 1>();
#endif
    __syncthreads();
    const long long matrix = group * MATRICES + in_group;
    const dtype* const a_here =
        reinterpret_cast<const dtype*>(stages + stage * (kBytesA + kBytesB)) + in_group * kStrideA;
    const dtype* const b_here =
        reinterpret_cast<const dtype*>(stages + stage * (kBytesA + kBytesB) + kBytesA) + in_group * kStrideB;
    if (matrix < batch) multiply(c + matrix * (M_SIZE * N_SIZE), a_here, b_here, alpha, row, column);
#if PERSISTENT
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    __syncthreads();  // all have read the stage before the next turn fills it
#endif
  }
#else
#if PERSISTENT
#pragma unroll 1
  for (long long matrix = static_cast<long long>(blockIdx.x) * MATRICES + in_group; matrix < batch;
       matrix += static_cast<long long>(gridDim.x) * MATRICES) {
#else
  const long long matrix = static_cast<long long>(blockIdx.x) * MATRICES + in_group;
  if (matrix < batch) {
#endif
    multiply(c + matrix * (M_SIZE * N_SIZE), a + matrix * (M_SIZE * K_SIZE), b + matrix * (K_SIZE * N_SIZE),
             alpha, row, column);
  }
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void batched_gemm_reference(const dtype* a, const dtype* b, dtype* c, long long batch,
                                       float alpha) {
  const long long elements = batch * (M_SIZE * N_SIZE);
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += static_cast<long long>(gridDim.x) * blockDim.x) {
    const long long row = i / N_SIZE;
    const long long matrix = row / M_SIZE;
    double sum = 0.0;
    for (int step = 0; step < K_SIZE; ++step) {
      sum += static_cast<double>(widen(a[row * K_SIZE + step])) *
             static_cast<double>(widen(b[(matrix * K_SIZE + step) * N_SIZE + i % N_SIZE]));
    }
    c[i] = narrow(static_cast<Sum>(alpha * sum));
  }
}
#endif
