/* warptune
[kernel]
name = "sgemm"
description = "C = alpha A B + beta C in single precision on CUDA cores, row-major"
about = """
Computes `C = alpha A B + beta C` in single precision on the CUDA cores, without tensor cores and without TF32. A is `M
x K`, B is `K x N` and C is `M x N`, all row-major and packed. One launch computes `BATCH` such products, whose matrices
lie one after the other in memory. Every size works. Rows whose length is a multiple of four elements are read by
128-bit vector loads, others element by element.

A block computes a tile of C, and each thread computes a part of it in registers. The parameters choose the tiles of
blocks, warps and threads. `LOAD` chooses how tiles of A and B reach shared memory: through registers, or by `cp.async`
with up to four tiles in flight. `FRAGMENT_BUFFERS` chooses whether a thread reads the operands of the next step while
it multiplies. If there are few tiles or K is long, several blocks can share a tile of C (split-K). Their sums are added
by a second kernel, by atomic additions, or within a cluster of blocks (`sm_90` and later).

An SM has 128 FP32 lanes. At peak, each lane starts a multiply-add in each cycle. A multiply-add takes two cycles if its
new operands lie in one bank of the register file. An operand is new if the previous multiply-add did not use it.
`FMA_ORDER` chooses an order that can avoid this conflict. A step is one index along K. With `serpentine`, every
multiply-add of a step needs only one new operand. The order of the sums in the source is chosen such that the compiler
puts each sum and the new operand of its multiply-add into different banks.
"""
vendor = "cublasSgemm with CUBLAS_PEDANTIC_MATH"
entry = "sgemm"
defines.THREADS = "BLOCK_M / THREAD_M * (BLOCK_N / THREAD_N)"
defines.LOAD_ASYNC = 'LOAD == "async"'
defines.A_TRANSPOSED = 'LAYOUT_A == "transposed"'
defines.ONE_IS_ALIGNED = "(K % 4 == 0) != (N % 4 == 0)"
defines.COLUMN_PAIRS = 'LANE_ORDER == "column_pairs"'
defines.COLUMN_MAJOR = 'FMA_ORDER == "column_major"'
defines.SERPENTINE = 'FMA_ORDER == "serpentine"'
defines.REDUCE_BY_KERNEL = 'SPLIT_K > 1 && SPLIT_K_REDUCTION == "second_kernel"'
defines.REDUCE_BY_ATOMICS = 'SPLIT_K > 1 && SPLIT_K_REDUCTION == "atomic"'
defines.REDUCE_IN_CLUSTER = 'SPLIT_K > 1 && SPLIT_K_REDUCTION == "cluster"'
hints = ["ONE_IS_ALIGNED"]
recommended = "sgemm.recommended.toml"

[problem]
M = { value = 2048, description = "rows of A and C" }
N = { value = 2048, description = "columns of B and C" }
K = { value = 2048, description = "columns of A, rows of B" }
BATCH = { value = 1, description = "matrix products, whose matrices lie one after the other in memory" }

[parameters]
BLOCK_M = { values = [8, 16, 32, 64, 128, 256], description = "rows of C that a block computes" }
BLOCK_N = { values = [8, 16, 32, 64, 128, 256], description = "columns of C that a block computes" }
BLOCK_K = { values = [8, 16, 32], description = "columns of A and rows of B in a tile in shared memory" }
THREAD_M = { values = [4, 8, 16], description = "rows of C that a thread computes" }
THREAD_N = { values = [4, 8, 16], description = "columns of C that a thread computes" }
LANES_M.values = [2, 4, 8, 16]
LANES_M.description = "a warp's 32 lanes form a grid of LANES_M rows and 32 / LANES_M columns"
LANE_ORDER.values = ["row_major", "column_pairs"]
LANE_ORDER.description = """\
  order of the lanes in that grid: row by row, or in pairs of neighbouring lanes in one column, so that both read the \
  same vector of B"""
LOAD.values = ["registers", "async"]
LOAD.description = "how tiles reach shared memory: through registers, or by cp.async, which bypasses registers"
LAYOUT_A.values = ["transposed", "row_major"]
LAYOUT_A.when = 'LOAD == "async"'
LAYOUT_A.description = """\
  layout of A's tile in shared memory: transposed (a thread reads four rows of one step at once) or row-major (it \
  reads four steps of one row)"""
VECTOR.values = [1, 4]
VECTOR.description = """\
  elements per load of whole tiles from global memory; with 4, tiles of rows that are not aligned are treated like \
  those at the edge"""
PAD_A.values = [0, 4]
PAD_A.when = 'LOAD == "registers"'
PAD_A.otherwise = 4
PAD_A.description = "padding between the rows of A's transposed tile in shared memory, in elements"
STAGES.values = [1, 2, 3, 4]
STAGES.description = """\
  stages in shared memory, each for a tile of A and of B; with more than 1, a block multiplies one while others are \
  filled"""
FRAGMENT_BUFFERS.values = [1, 2]
FRAGMENT_BUFFERS.when = "STAGES > 1"
FRAGMENT_BUFFERS.description = """\
  buffers for operands in registers; with 2, the operands of the next step are read while those of the current one \
  are multiplied"""
FMA_ORDER.values = ["row_major", "column_major", "serpentine"]
FMA_ORDER.description = """\
  order of the multiply-adds of a step along K; row_major: row by row; column_major: column by column; serpentine: \
  even rows from left to right, odd rows from right to left, and adjacent sums are kept in each other's registers, \
  which avoids register bank conflicts"""
UNROLL_K = { values = [4, 8, 16, 32], description = "unrolled steps along K" }
SPLIT_K.values = [1, 2, 4, 8, 16, 32, 64, 128, 256]
SPLIT_K.description = "blocks that share a tile of C; each takes a part of K"
SPLIT_K_REDUCTION.values = ["second_kernel", "atomic", "cluster"]
SPLIT_K_REDUCTION.when = "SPLIT_K > 1"
SPLIT_K_REDUCTION.description = """\
  how the sums of blocks that share a tile are added: by a second kernel, by atomic additions, or within a cluster of \
  blocks"""
GROUP_SIZE_M.values = [1, 4, 8, 16]
GROUP_SIZE_M.description = "rows of tiles whose blocks run at the same time, so that they share A and B in L2"
MIN_BLOCKS_PER_SM.values = [1, 2, 3, 4]
MIN_BLOCKS_PER_SM.description = "blocks that an SM must be able to hold; this limits the registers per thread"

[constraints]
list = [
  { expression = "BLOCK_M % (LANES_M * THREAD_M) == 0", reason = "a block has whole warps along M" },
  { expression = "BLOCK_N % (32 / LANES_M * THREAD_N) == 0", reason = "a block has whole warps along N" },
  { expression = "BLOCK_M > 16 || M <= BLOCK_M", reason = "flat tiles are for a C with few rows" },
  { expression = "BLOCK_N > 16 || N <= BLOCK_N", reason = "narrow tiles are for a C with few columns" },
  { reason = "flatter and narrower warps are for flat and narrow tiles", expression = """\
      LANES_M == 2 ? BLOCK_M == 8 : LANES_M < 16 || BLOCK_N == 8""" },
  { expression = "BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N) >= 64", reason = "one warp cannot hide its own loads" },
  { reason = "with more threads each has too few registers for its tile", expression = """\
      BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N) <= 512""" },
  { reason = "a flat tile needs more reads from shared memory than a square tile of the same size", expression = """\
      max(THREAD_M, THREAD_N) <= 2 * min(THREAD_M, THREAD_N)""" },
  { reason = "cp.async needs compute capability 8.0", expression = """\
      LOAD != "async" || device_compute_capability >= 80""" },
  { reason = """\
      cp.async needs a stage to copy into while another one is multiplied, and registers hold only one tile that is \
      being loaded""", expression = """\
      LOAD == "async" ? STAGES >= 2 : STAGES <= 2""" },
  { reason = "every thread loads an equal part of A's tile", expression = """\
      BLOCK_M * BLOCK_K % ((LOAD == "async" && LAYOUT_A == "transposed" ? 1 : VECTOR) * BLOCK_M * BLOCK_N \
      / (THREAD_M * THREAD_N)) == 0""" },
  { reason = "every thread loads an equal part of B's tile", expression = """\
      BLOCK_N * BLOCK_K % (VECTOR * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N)) == 0""" },
  { reason = "registers hold at most 48 elements per thread that are being loaded from global memory", expression = """\
      LOAD == "async" || BLOCK_K * (BLOCK_M + BLOCK_N) * THREAD_M * THREAD_N <= 48 * BLOCK_M * BLOCK_N""" },
  { reason = "a thread makes at most 32 copies of single elements per tile", expression = """\
      LOAD != "async" || (LAYOUT_A == "row_major" && VECTOR == 4 || BLOCK_K * THREAD_M * THREAD_N <= 32 * BLOCK_N) \
      && (VECTOR == 4 || BLOCK_K * THREAD_M * THREAD_N <= 32 * BLOCK_M)""" },
  { expression = "VECTOR == 4 || K % 4 != 0 || N % 4 != 0", reason = "aligned rows are read by vector loads" },
  { reason = "a shorter loop body consists mostly of branches", expression = """\
      UNROLL_K == BLOCK_K || UNROLL_K * THREAD_M * THREAD_N >= 512""" },
  { reason = """\
      the loop has at most BLOCK_K steps; unrolled, it must compile quickly and stay in the instruction \
      cache""", expression = """\
      UNROLL_K <= BLOCK_K && UNROLL_K * THREAD_M * THREAD_N <= 1024""" },
  { reason = "the stages fit into shared memory", expression = """\
      STAGES * BLOCK_K * (BLOCK_M + PAD_A + BLOCK_N) * 4 <= device_shared_bytes_per_block_optin""" },
  { reason = "the shared memory of MIN_BLOCKS_PER_SM blocks fits into that of an SM", expression = """\
      MIN_BLOCKS_PER_SM * (1024 + 4 * max(STAGES * BLOCK_K * (BLOCK_M + PAD_A + BLOCK_N), \
      SPLIT_K > 1 && SPLIT_K_REDUCTION == "cluster" ? BLOCK_M * BLOCK_N : 0)) <= device_shared_bytes_per_sm""" },
  { reason = "with more threads each has too few registers for its tile", expression = """\
      MIN_BLOCKS_PER_SM * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N) <= min(768, device_max_threads_per_sm)""" },
  { reason = "with fewer than 256 threads per SM, each has the maximum number of registers anyway", expression = """\
      MIN_BLOCKS_PER_SM == 1 || MIN_BLOCKS_PER_SM * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N) >= 256""" },
  { reason = "the sums, operands and pending loads of a thread fit into its registers", expression = """\
      THREAD_M * THREAD_N + FRAGMENT_BUFFERS * (THREAD_M * (LAYOUT_A == "row_major" ? 4 : 1) + THREAD_N) \
      + (LOAD == "async" ? 0 : BLOCK_K * (BLOCK_M + BLOCK_N) * (THREAD_M * THREAD_N) / (BLOCK_M * BLOCK_N)) + 32 \
      <= min(255, device_registers_per_sm / (MIN_BLOCKS_PER_SM * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N)))""" },
  { expression = "SPLIT_K == 1 || SPLIT_K * BLOCK_K * 2 <= K", reason = "every block has at least two tiles along K" },
  { reason = "with 4 or more blocks per SM, a split half as large would still give 2 blocks per SM", expression = """\
      SPLIT_K == 1 || SPLIT_K * BATCH * ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N) < 4 * device_sm_count""" },
  { reason = """\
      a group has at most as many rows of tiles as C, and blocks that all run at once need no \
      order""", expression = """\
      GROUP_SIZE_M == 1 || (GROUP_SIZE_M <= ceil_div(M, BLOCK_M) \
      && SPLIT_K * BATCH * ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N) > device_sm_count)""" },
  { reason = "clusters need compute capability 9.0, and every such GPU can run clusters of 8 blocks", expression = """\
      SPLIT_K == 1 || SPLIT_K_REDUCTION != "cluster" || (device_compute_capability >= 90 && SPLIT_K <= 8)""" },
  { reason = "the sums that are added in a cluster fit into shared memory", expression = """\
      SPLIT_K == 1 || SPLIT_K_REDUCTION != "cluster" \
      || BLOCK_M * BLOCK_N * 4 <= device_shared_bytes_per_block_optin""" },
]

[default]
BLOCK_M = 64
BLOCK_N = 64
BLOCK_K = 16
THREAD_M = 4
THREAD_N = 4
LANES_M = 4
LANE_ORDER = "row_major"
LOAD = "registers"
LAYOUT_A = "transposed"
VECTOR = 4
PAD_A = 4
STAGES = 1
FRAGMENT_BUFFERS = 1
FMA_ORDER = "row_major"
UNROLL_K = 16
SPLIT_K = 1
SPLIT_K_REDUCTION = "second_kernel"
GROUP_SIZE_M = 1
MIN_BLOCKS_PER_SM = 1

[launch]
grid = ["SPLIT_K * ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N)", "1", "BATCH"]
block = ["BLOCK_M / THREAD_M * (BLOCK_N / THREAD_N)"]
shared_bytes = """\
  4 * max(STAGES * BLOCK_K * (BLOCK_M + PAD_A + BLOCK_N), \
  SPLIT_K > 1 && SPLIT_K_REDUCTION == "cluster" ? BLOCK_M * BLOCK_N : 0)"""
cluster = ['SPLIT_K > 1 && SPLIT_K_REDUCTION == "cluster" ? SPLIT_K : 1']

[[launch.before]]
entry = "scale_c"
grid = ["min(ceil_div(M * N, 256), 1024)", "1", "BATCH"]
block = ["256"]
when = 'SPLIT_K > 1 && SPLIT_K_REDUCTION == "atomic"'

[[launch.after]]
entry = "reduce_partials"
grid = ["min(ceil_div(M * N, 256), 4096)", "1", "BATCH"]
block = ["256"]
when = 'SPLIT_K > 1 && SPLIT_K_REDUCTION == "second_kernel"'

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
count = 'SPLIT_K > 1 && SPLIT_K_REDUCTION == "second_kernel" ? SPLIT_K * BATCH * M * N : 1'

# An element is a sum of K products of variance 1/9, which are added in order. A partial sum of magnitude s is rounded
# by up to 2^-24 s. s itself grows like sqrt(k) / 3 and reaches twice that in the largest of millions of elements. The
# random walk of those roundings has a standard deviation of about 2e-8 K there. The largest error measured among 4
# million elements at K = 2048 was 8.4e-8 K (H200). 3e-7 K leaves a factor of three and still detects a missing product
# (0.25 on average). The additional 16 is for small K. The reference adds in double.
[check]
reference = "entry"
entry = "sgemm_reference"
grid = ["ceil_div(N, 32)", "min(ceil_div(M, 8), 65535)", "BATCH"]
block = ["32", "8"]
absolute = "3e-7 * (K + 16)"
relative = 1e-6
nondeterministic = 'SPLIT_K > 1 && SPLIT_K_REDUCTION == "atomic"'

[work]
flops = "2 * BATCH * M * N * K"
bytes = "4 * BATCH * (M * K + K * N + M * N)"
*/
#include "memory_access.cuh"
#include "sgemm_epilogue.cuh"
#include "tile_order.cuh"

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS_PER_SM)
    sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, long long m,
          long long n, long long k, float alpha, float beta, float* __restrict__ partials) {
  extern __shared__ float4 shared_vectors[];
  float* const shared = reinterpret_cast<float*>(shared_vectors);
  const int thread = static_cast<int>(threadIdx.x);

  // The tile of C. Blocks that share one follow each other in the grid, and each takes its part of K, in whole tiles.
  const unsigned part = blockIdx.x % SPLIT_K;
  const TilePosition tile =
      grouped_tile<GROUP_SIZE_M>(blockIdx.x / SPLIT_K, tile_count(m, BLOCK_M), tile_count(n, BLOCK_N));
  const long long row0 = static_cast<long long>(tile.row) * BLOCK_M;
  const long long column0 = static_cast<long long>(tile.column) * BLOCK_N;
  const int rows = static_cast<int>(row0 + BLOCK_M <= m ? BLOCK_M : m - row0);  // of the tile that exist
  const int columns = static_cast<int>(column0 + BLOCK_N <= n ? BLOCK_N : n - column0);
  const long long tiles_k = (k + BLOCK_K - 1) / BLOCK_K;
  const long long first_tile = tiles_k * part / SPLIT_K;
  const int tiles = static_cast<int>(tiles_k * (part + 1) / SPLIT_K - first_tile);  // along K
  const long long k0 = first_tile * BLOCK_K;

  // Whole tiles whose rows are aligned are read by vector loads, others element by element.
  const bool aligned_a = k % 4 == 0 && reinterpret_cast<size_t>(a) % 16 == 0;
  const bool aligned_b = n % 4 == 0 && reinterpret_cast<size_t>(b) % 16 == 0;
  const bool inside = (kVectorA == 1 || aligned_a) && (VECTOR == 1 || aligned_b) && row0 + BLOCK_M <= m &&
                      column0 + BLOCK_N <= n;
  a += (blockIdx.z * m + row0) * k + k0;
  b += (blockIdx.z * k + k0) * n + column0;
  c += blockIdx.z * m * n;
  const PartitionA partition_a(thread);
  const PartitionB partition_b(thread);
  const ThreadPlace place(thread);

  Sums sums;
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) sums[i][j] = 0.0f;
  }
  const int whole_tiles = inside ? static_cast<int>((k - k0) / BLOCK_K) : 0;
  const auto copy_edge = [&](float* to, int index) {
    const long long done = static_cast<long long>(index) * BLOCK_K;
    const int steps = static_cast<int>(k0 + done + BLOCK_K <= k ? BLOCK_K : k - k0 - done);
    const int width = aligned_a && aligned_b ? 4 : 1;
    copy_edge_tiles(to, a + done, b + done * n, k, n, rows, steps, columns,
                    ONE_IS_ALIGNED && aligned_a ? 4 : width, ONE_IS_ALIGNED && aligned_b ? 4 : width);
  };
  const float* next_a =
      a + partition_a.row * k + partition_a.element;  // the thread's part of the tile that comes next
  const float* next_b = b + partition_b.row * n + partition_b.element;
#if LOAD_ASYNC
  const auto copy = [&](int index, int stage) {
    float* const to = shared + stage * kStage;
    if (index < whole_tiles) {
      copy_whole_tiles(to, next_a, next_b, k, n, partition_a, partition_b);
    } else {
      copy_edge(to, index);
    }
    next_a += BLOCK_K;
    next_b += BLOCK_K * n;
  };
#endif

  int stage = 0;  // that the block computes on
#if LOAD_ASYNC
#pragma unroll 1
  for (int i = 0; i < STAGES; ++i) {
    if (i < tiles) copy(i, i);
    commit_copies();
  }
  wait_for_copies<STAGES - 1>();
  __syncthreads();
#else
  Pack<kVectorA> vectors_a[kLoadsA];
  Pack<VECTOR> vectors_b[kLoadsB];
  const auto load = [&](int index) {
    if (index < whole_tiles) {
      load_whole_tile<PartitionA>(vectors_a, next_a, k);
      load_whole_tile<PartitionB>(vectors_b, next_b, n);
    }
    next_a += BLOCK_K;
    next_b += BLOCK_K * n;
  };
  const auto store = [&](int index, float* to) {
    if (index < whole_tiles) {
      store_whole_tiles(to, vectors_a, vectors_b, partition_a, partition_b);
    } else {
      copy_edge(to, index);
    }
  };
  if (tiles > 0) {
    load(0);
    store(0, shared);
  }
  __syncthreads();
#endif

  // Ends the work on a tile and makes sure of the next.
  const auto advance = [&](int index) {
#if LOAD_ASYNC
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
    if (index + 1 < tiles) store(index + 1, shared + stage * kStage);
    __syncthreads();
#endif
  };

  Fragment fragments[FRAGMENT_BUFFERS];
#if FRAGMENT_BUFFERS == 2
  read_a(fragments[0], shared, place, 0);
  read_b(fragments[0], shared, place, 0);
#endif
#pragma unroll 1
  for (int index = 0; index < tiles; ++index) {
#if !LOAD_ASYNC
    if (index + 1 < tiles) load(index + 1);
#endif
    multiply_tile(sums, fragments, shared, stage, place, [&] { advance(index); });
  }

#if REDUCE_IN_CLUSTER
  reduce_in_cluster(sums, shared, place, part, c, n, row0, column0, rows, columns, alpha, beta);
#else
#if REDUCE_BY_KERNEL
  c = partials + (static_cast<long long>(part) * gridDim.z + blockIdx.z) * m * n;
  alpha = 1.0f;
  beta = 0.0f;
#endif
  const int rows_left = rows - place.row;
  const int columns_left = columns - place.column;
  float* const corner = c + (row0 + place.row) * n + column0 + place.column;
  if (n % 4 == 0 && reinterpret_cast<size_t>(c) % 16 == 0) {
    write_vectors(sums, corner, n, rows_left, columns_left, alpha, beta);
  } else {
    // The compiler copies four of these at a time, hence holds four neighbours of this array in four neighbouring
    // registers, and neighbours lie in different banks: their order here decides the banks of the sums everywhere.
    float kept[THREAD_M * THREAD_N];
#pragma unroll
    for (int i = 0; i < THREAD_M * THREAD_N; ++i) kept[i] = sums[i / THREAD_N][(i % THREAD_N) ^ SERPENTINE];
    write_elements(kept, corner, n, rows_left, columns_left, alpha, beta);
  }
#endif
}

// Runs before atomic additions.
__global__ void __launch_bounds__(256)
    scale_c(const float* __restrict__, const float* __restrict__, float* __restrict__ c, long long m,
            long long n, long long, float, float beta, float* __restrict__) {
#if REDUCE_BY_ATOMICS
  const long long count = m * n;
  c += blockIdx.z * count;
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll) {
    c[i] = beta != 0.0f ? beta * c[i] : 0.0f;
  }
#endif
}

// Adds the partial sums of the blocks that share a tile, after they have been stored.
__global__ void __launch_bounds__(256)
    reduce_partials(const float* __restrict__, const float* __restrict__, float* __restrict__ c, long long m,
                    long long n, long long, float alpha, float beta, float* __restrict__ partials) {
#if REDUCE_BY_KERNEL
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
        const float4 vector = __ldcs(reinterpret_cast<const float4*>(from));
        sum.x += vector.x, sum.y += vector.y, sum.z += vector.z, sum.w += vector.w;
      } else {
        sum.x += *from;
      }
    }
    write_vector(c + i, sum, alpha, beta, 1, aligned);
  }
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void sgemm_reference(const float* a, const float* b, float* c, long long m, long long n,
                                long long k, float alpha, float beta, float*) {
  a += blockIdx.z * m * k;
  b += blockIdx.z * k * n;
  c += blockIdx.z * m * n;
  const long long column = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= n) return;
  for (long long row = static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y; row < m;
       row += gridDim.y * blockDim.y) {
    double sum = 0.0;
    for (long long i = 0; i < k; ++i) {
      sum += static_cast<double>(a[row * k + i]) * static_cast<double>(b[i * n + column]);
    }
    double value = static_cast<double>(alpha) * sum;
    if (beta != 0.0f) value += static_cast<double>(beta) * static_cast<double>(c[row * n + column]);
    c[row * n + column] = static_cast<float>(value);
  }
}
#endif
