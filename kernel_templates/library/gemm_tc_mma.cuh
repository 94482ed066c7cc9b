// The variant "mma" of gemm_tc.cu: any compute capability, any size and alignment.

#if IS_BF16
#include <cuda_bf16.h>
#elif IS_F16
#include <cuda_fp16.h>
#endif

#include "gemm_tc_epilogue.cuh"
#if LOAD_TMA
#include "gemm_tc_async.cuh"
#else
#include "tensor_map.cuh"
#include "tile_order.cuh"
#endif
#include "gemm_tc_padding.cuh"
#include "gemm_tc_split.cuh"

#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 800 || __CUDA_ARCH__ == 750 && IS_F16)
#define TENSOR_CORES 1
#else
#define TENSOR_CORES 0
#endif

constexpr int kThreads = 32 * WARPS_M * WARPS_N;
constexpr int kElement = static_cast<int>(sizeof(dtype));
constexpr int kVector = 16 / kElement;  // elements of the 16 bytes that are copied at a time
constexpr int kWarpM = BLOCK_M / WARPS_M;
constexpr int kWarpN = BLOCK_N / WARPS_N;
constexpr int kTilesM = kWarpM / 16;  // of an instruction
constexpr int kTilesN = kWarpN / 8;
constexpr int kStep = 2 * kVector;  // of K, that one instruction multiplies
constexpr int kSteps = BLOCK_K / kStep;
constexpr int kBytesA = BLOCK_M * BLOCK_K * kElement;
constexpr int kStage = kBytesA + BLOCK_N * BLOCK_K * kElement;
// A warp's 16 rows of C on their way through shared memory, in bytes.
[[maybe_unused]] constexpr int kSlicePitch = kWarpN * kElement + 16;
[[maybe_unused]] constexpr int kSlice = 16 * kSlicePitch;

// A tile in shared memory: rows of `row_bytes`, whose 128-bit vectors are permuted so that eight of them below each
// other, which an instruction reads together, are in different banks. `spread`: by how much a row's permutation
// differs from that of the row before.
template <int row_bytes, int spread>
struct Layout {
  static constexpr int kVectors = row_bytes / 16;
  static constexpr int kBytes = row_bytes;
  __device__ __forceinline__ static int permutation(int row) {
    return row_bytes == 64 ? row >> 1 & 3 : row * spread & 7;
  }
  __device__ __forceinline__ static int offset(int row, int vector) {
    return row * row_bytes + (vector ^ permutation(row)) * 16;
  }
  __device__ __forceinline__ static int element(int row, int column) {
    return offset(row, column / kVector) + column % kVector * kElement;
  }
};
using LayoutA = Layout<BLOCK_K * kElement, 1>;
#if B_IS_KN
using LayoutB = Layout<BLOCK_N * kElement, IS_TF32 ? 2 : 1>;
[[maybe_unused]] constexpr int kRowsB = BLOCK_K;
#else
using LayoutB = Layout<BLOCK_K * kElement, 1>;
[[maybe_unused]] constexpr int kRowsB = BLOCK_N;
#endif

__device__ __forceinline__ unsigned shared_address(const char* pointer) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
#else
  return 0;
#endif
}

#include "gemm_tc_mma_loads.cuh"

// The operands of a warp's instructions of one step.
struct Fragments {
  unsigned a[kTilesM][4];
  unsigned b[kTilesN][2];
};
using Sums = float[kTilesM][kTilesN][4];

#if TENSOR_CORES
__device__ __forceinline__ void load_matrices(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3,
                                              unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(address)
               : "memory");
}

__device__ __forceinline__ void load_transposed_matrices(unsigned& r0, unsigned& r1, unsigned& r2,
                                                         unsigned& r3, unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(address)
               : "memory");
}

__device__ __forceinline__ void multiply_tile(float (&sums)[4], const unsigned (&a)[4],
                                              const unsigned (&b)[2]) {
#if __CUDA_ARCH__ == 750
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[2]), "r"(a[3]), "r"(b[1]));
#else
#if IS_BF16
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
#elif IS_F16
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
#else
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
#endif
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}
#endif

// Reads a warp's fragments of a step from a stage. `row` and `column` are the warp's first ones. Without tensor cores
// the operands are multiplied at once, as long as they exist.
__device__ __forceinline__ void load_fragments([[maybe_unused]] Fragments& fragments,
                                               [[maybe_unused]] Sums& sums, const char* stage, int row,
                                               int column, int step, [[maybe_unused]] bool exists) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#if TENSOR_CORES
  const unsigned tile_a = shared_address(stage) + (row + lane % 16) * LayoutA::kBytes;
  const unsigned tile_b = shared_address(stage) + kBytesA;
  const int vector_a = (step * 2 + lane / 16) ^ LayoutA::permutation(lane % 8);
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
    unsigned(&a)[4] = fragments.a[i];
    load_matrices(a[0], a[1], a[2], a[3], tile_a + i * 16 * LayoutA::kBytes + vector_a * 16);
  }
#pragma unroll
  for (int j = 0; j < kTilesN; j += 2) {
    unsigned(&b)[2] = fragments.b[j];
    unsigned(&next)[2] = fragments.b[j + 1];
#if !B_IS_KN
    const int vector = (step * 2 + lane / 8 % 2) ^ LayoutB::permutation(lane % 8);
    const unsigned first = tile_b + (column + lane / 16 * 8 + lane % 8) * LayoutB::kBytes;
    load_matrices(b[0], b[1], next[0], next[1], first + j * 8 * LayoutB::kBytes + vector * 16);
#elif !IS_TF32
    const int vector = (column / 8 + j + lane / 16) ^ LayoutB::permutation(lane % 8);
    load_transposed_matrices(b[0], b[1], next[0], next[1],
                             tile_b + (step * 16 + lane % 16) * LayoutB::kBytes + vector * 16);
#else
    // Eight vectors below each other are permuted, and the warp's first column is a multiple of them.
    const int vector = (lane / 16 + j * 2 % 8) ^ LayoutB::permutation(lane % 4);
    const char* from = stage + kBytesA + (step * 8 + lane % 4) * LayoutB::kBytes + column * 4 + j / 4 * 128 +
                       vector * 16 + lane / 4 % 4 * 4;
    const char* from_next = from - vector * 16 + (vector ^ 2) * 16;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      b[half] = *reinterpret_cast<const unsigned*>(from + half * 4 * LayoutB::kBytes);
      next[half] = *reinterpret_cast<const unsigned*>(from_next + half * 4 * LayoutB::kBytes);
    }
#endif
  }
#else
  if (!exists) return;
#pragma unroll 1
  for (int i = 0; i < kStep; ++i) {
    const int depth = step * kStep + i;
    float b[kTilesN][2];
#pragma unroll
    for (int j = 0; j < kTilesN * 2; ++j) {
      const int at = column + j / 2 * 8 + lane % 4 * 2 + j % 2;
      const int offset = B_IS_KN ? LayoutB::element(depth, at) : LayoutB::element(at, depth);
      b[j / 2][j % 2] = static_cast<float>(*reinterpret_cast<const dtype*>(stage + kBytesA + offset));
    }
#pragma unroll
    for (int j = 0; j < kTilesM * 2; ++j) {
      const int at = row + j * 8 + lane / 4;
      const float a =
          static_cast<float>(*reinterpret_cast<const dtype*>(stage + LayoutA::element(at, depth)));
#pragma unroll
      for (int l = 0; l < kTilesN * 2; ++l) sums[j / 2][l / 2][j % 2 * 2 + l % 2] += a * b[l / 2][l % 2];
    }
  }
#endif
}

__device__ __forceinline__ void multiply([[maybe_unused]] Sums& sums,
                                         [[maybe_unused]] const Fragments& fragments) {
#if TENSOR_CORES
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
      const int column = i % 2 == 0 ? j : kTilesN - 1 - j;  // serpentine: an operand is used twice in a row
      multiply_tile(sums[i][column], fragments.a[i], fragments.b[column]);
    }
  }
#endif
}

// The pointer's address in global memory.
__device__ __forceinline__ dtype* global_pointer(dtype* pointer) {
#ifdef __CUDA_ARCH__
  return reinterpret_cast<dtype*>(__cvta_generic_to_global(pointer));
#else
  return pointer;
#endif
}

#if SPLIT_K > 1
// Writes a warp's sums, whose first row and column in C are given, to those of its part of K.
__device__ __forceinline__ void write_part(const Sums& sums, float* partials, int part, long long m,
                                           long long n, long long row, long long column) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  row += lane / 4;
  column += lane % 4 * 2;
  float2* corner = sums_of_part(partials, part, m, n, row, column);
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
    for (int j = 0; j < kTilesN * 2; ++j) {
      const float* pair = sums[i][j / 2] + j % 2 * 2;
      const int down = i * 16 + j % 2 * 8;
      const int across = j / 2 * 8;
      store_sums_if(corner + down * pairs_of_row(n) + across / 2, pair[0], pair[1],
                    row + down < m && column + across < n);
    }
  }
}
#else
// Writes a warp's sums, whose first row and column in C are (row0 + row, column0 + column); `slice` is the warp's own
// shared memory.
__device__ __forceinline__ void write(const Sums& sums, dtype* c, long long m, long long n, long long row0,
                                      long long column0, int row, int column, float alpha, float beta,
                                      [[maybe_unused]] char* slice) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int in_row = row + lane / 4;
  const int in_column = column + lane % 4 * 2;
  const int rows = static_cast<int>(m - row0 < BLOCK_M ? m - row0 : BLOCK_M);
  const int columns = static_cast<int>(n - column0 < BLOCK_N ? n - column0 : BLOCK_N);
#if ODD_ROWS
  if (beta == 0.0f && reinterpret_cast<size_t>(c) % 4 == 0) {
#pragma unroll
    for (int i = 0; i < kTilesM * 2; ++i) {
      const int at_row = in_row + i / 2 * 16 + i % 2 * 8;
      write_odd_row<kTilesN>(sums[i / 2][0] + i % 2 * 2, c, (row0 + at_row) * n + column0 + in_column,
                             at_row < rows ? columns - in_column : 0, alpha);
    }
    return;
  }
#elif STAGED
  if (beta == 0.0f && n % kVector == 0 && reinterpret_cast<size_t>(c) % 16 == 0) {
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN * 2; ++j) {
        const float* pair = sums[i][j / 2] + j % 2 * 2;
        char* to = slice + (lane / 4 + j % 2 * 8) * kSlicePitch + (lane % 4 * 2 + j / 2 * 8) * kElement;
        *reinterpret_cast<Pair*>(to) = pack(alpha * pair[0], alpha * pair[1]);
      }
      __syncwarp();
      constexpr int vectors = kWarpN / kVector;
#pragma unroll
      for (int j = 0; j < vectors / 2; ++j) {
        const int at_row = row + i * 16 + (j * 32 + lane) / vectors;
        const int at_column = column + (j * 32 + lane) % vectors * kVector;
        if (at_row < rows && at_column < columns) {
          *reinterpret_cast<uint4*>(c + (row0 + at_row) * n + column0 + at_column) =
              *reinterpret_cast<const uint4*>(slice + (j * 32 + lane) / vectors * kSlicePitch +
                                              (j * 32 + lane) % vectors * 16);
        }
      }
      __syncwarp();
    }
    return;
  }
#else
  if (beta == 0.0f && pairs_are_aligned(c, n)) {
    dtype* corner = c + (row0 + in_row) * n + column0 + in_column;
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN * 2; ++j) {
        const float* pair = sums[i][j / 2] + j % 2 * 2;
        const int down = i * 16 + j % 2 * 8;
        const int across = j / 2 * 8;
        store_if(global_pointer(corner + down * n + across), pack(alpha * pair[0], alpha * pair[1]),
                 in_row + down < rows && in_column + across < columns);
      }
    }
    return;
  }
#endif
  // Any beta and any alignment: loops over sums in local memory, because unrolled for all the sums they take the
  // compiler too long.
  float kept[kTilesM * kTilesN * 4];
#pragma unroll
  for (int i = 0; i < kTilesM * kTilesN * 4; ++i) kept[i] = sums[i / 4 / kTilesN][i / 4 % kTilesN][i % 4];
  const bool by_pairs = pairs_are_aligned(c, n);
#pragma unroll 4
  for (int i = 0; i < kTilesM * kTilesN * 4; i += 2) {
    const int at_row = in_row + i / 4 / kTilesN * 16 + i % 4 / 2 * 8;
    const int at_column = in_column + i / 4 % kTilesN * 8;
    dtype* to = c + (row0 + at_row) * n + column0 + at_column;
    if (by_pairs && at_row < rows && at_column < columns) {
      write_pair(to, alpha * kept[i], alpha * kept[i + 1], beta);
    }
  }
#pragma unroll 1
  for (int i = 0; i < kTilesM * kTilesN * 4 && !by_pairs; ++i) {
    const int at_row = in_row + i / 4 / kTilesN * 16 + i % 4 / 2 * 8;
    const int at_column = in_column + i / 4 % kTilesN * 8 + i % 2;
    if (at_row >= rows || at_column >= columns) continue;
    write_element(c + (row0 + at_row) * n + column0 + at_column, alpha * kept[i], beta);
  }
}
#endif

#if LOAD_TMA
#include "gemm_tc_mma_persistent.cuh"
#else

__global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    gemm_tc(const dtype* __restrict__ a, const dtype* __restrict__ b, dtype* __restrict__ c, const TensorMap,
            const TensorMap, const TensorMap, long long m, long long n, long long k, float alpha, float beta,
            [[maybe_unused]] const dtype* __restrict__ a_padded,
            [[maybe_unused]] const dtype* __restrict__ b_padded, const TensorMap, const TensorMap,
            [[maybe_unused]] float* __restrict__ partials) {
  extern __shared__ uint4 shared_vectors[];
  char* stages = reinterpret_cast<char*>(shared_vectors);
  const int thread = static_cast<int>(threadIdx.x);

  // Blocks that share a tile of C are far from each other in the grid: those near each other share A and B.
  const unsigned tiles_of_c = tile_count(m, BLOCK_M) * tile_count(n, BLOCK_N);
  const unsigned part = SPLIT_K > 1 ? blockIdx.x / tiles_of_c : 0;
  const TilePosition tile_of_c = grouped_tile<GROUP_SIZE_M>(blockIdx.x - part * tiles_of_c,
                                                            tile_count(m, BLOCK_M), tile_count(n, BLOCK_N));
  const long long row0 = static_cast<long long>(tile_of_c.row) * BLOCK_M;
  const long long column0 = static_cast<long long>(tile_of_c.column) * BLOCK_N;

  const int tiles = steps_of_part(k);
  const long long depth0 = static_cast<long long>(part) * tiles * BLOCK_K;

  const int warp = thread / 32;
  const int row = warp / WARPS_N * kWarpM;
  const int column = warp % WARPS_N * kWarpN;

#if PADDED_TILES
  // What a copy has behind a row of its matrix is zero.
  Loader<LayoutA, BLOCK_M, false> from_a(k % kVector == 0 ? a : a_padded, m, padding::row_length(k), row0,
                                         depth0);
#if B_IS_KN
  Loader<LayoutB, kRowsB, true> from_b(n % kVector == 0 ? b : b_padded, k, padding::row_length(n), depth0,
                                       column0);
#else
  Loader<LayoutB, kRowsB, false> from_b(k % kVector == 0 ? b : b_padded, n, padding::row_length(k), column0,
                                        depth0);
#endif
#else
  Loader<LayoutA, BLOCK_M, false> from_a(a, m, k, row0, depth0);
#if B_IS_KN
  Loader<LayoutB, kRowsB, true> from_b(b, k, n, depth0, column0);
#else
  Loader<LayoutB, kRowsB, false> from_b(b, n, k, column0, depth0);
#endif
#endif

  Sums sums;
#pragma unroll
  for (int i = 0; i < kTilesM * kTilesN * 4; ++i) sums[i / 4 / kTilesN][i / 4 % kTilesN][i % 4] = 0.0f;

#pragma unroll 1
  for (int i = 0; i < STAGES - 1; ++i) {
    char* stage = stages + i * kStage;
    from_a.fetch_elements(stage, i < tiles);
    from_b.fetch_elements(stage + kBytesA, i < tiles);
    from_a.fetch_vectors(stage, i < tiles);
    from_b.fetch_vectors(stage + kBytesA, i < tiles);
    from_a.store(stage);
    from_b.store(stage + kBytesA);
    from_a.advance();
    from_b.advance();
    commit_copies();
  }
  wait_for_copies();
  __syncthreads();

  // The fragments of a step are read while the step before is multiplied, those of a tile's first step in the tile
  // before.
  Fragments fragments[2];
  int stage = 0;
  int next = STAGES - 1;  // the stage that is filled next; nobody reads it any more
  load_fragments(fragments[0], sums, stages, row, column, 0, true);
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    const bool more = tile + STAGES - 1 < tiles;
    from_a.fetch_elements(stages + next * kStage, more);
    from_b.fetch_elements(stages + next * kStage + kBytesA, more);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const bool last = step == kSteps - 1;
      if (last) {
        from_a.store(stages + next * kStage);
        from_b.store(stages + next * kStage + kBytesA);
        next = next == STAGES - 1 ? 0 : next + 1;
        wait_for_copies();
        __syncthreads();
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      load_fragments(fragments[(step + 1) % 2], sums, stages + stage * kStage, row, column,
                     last ? 0 : step + 1, !last || tile + 1 < tiles);
      if (step == 0) {
#if INTERLEAVE_COPIES
        from_a.fetch_vectors(stages + next * kStage, more);
        from_b.fetch_vectors(stages + next * kStage + kBytesA, more);
#else
        if (more) {
          if (from_a.by_vectors) from_a.fetch_vectors(stages + next * kStage, true);
          if (from_b.by_vectors) from_b.fetch_vectors(stages + next * kStage + kBytesA, true);
        }
#endif
        from_a.advance();
        from_b.advance();
        commit_copies();
      }
      multiply(sums, fragments[step % 2]);
    }
  }

#if SPLIT_K > 1
  write_part(sums, partials, static_cast<int>(part), m, n, row0 + row, column0 + column);
#else
#if STAGED
  __syncthreads();
#endif
  write(sums, c, m, n, row0, column0, row, column, alpha, beta, stages + warp * kSlice);
#endif
}

#endif
