// The variant "wgmma" of gemm_tc.cu: compute capability 9.0 alone (sm_90a).
//
// A block is one producer warpgroup, of which one thread keeps a ring of STAGES tiles in shared memory filled by the
// tensor memory accelerator, and CONSUMER_WARPGROUPS warpgroups that multiply. Blocks are persistent: while the
// consumers write a tile of C, the producer fills the ring for the next one. With the schedule "pingpong" the
// consumers take whole tiles in turn, so that one multiplies while the other writes; with "cooperative" they share
// the rows of each tile. The blocks of a cluster hand each other the parts of A and B that they share.

#if IS_BF16
#include <cuda_bf16.h>
#elif IS_F16
#include <cuda_fp16.h>
#endif

#include "gemm_tc_async.cuh"

constexpr int kElement = static_cast<int>(sizeof(dtype));
constexpr int kRow = 128 / kElement;    // elements of the 128 bytes that are swizzled together
constexpr int kStep = 32 / kElement;    // of K, that one instruction multiplies
constexpr int kParts = BLOCK_K / kRow;  // of a tile along K
constexpr int kBytesA = BLOCK_M * BLOCK_K * kElement;
constexpr int kBytesB = BLOCK_N * BLOCK_K * kElement;
constexpr int kStage = kBytesA + kBytesB;

constexpr int kCluster = CLUSTER_M * CLUSTER_N;
constexpr int kSharers =
    CLUSTER_M + CLUSTER_N - 1;  // blocks that share A or B with a block, itself among them
constexpr int kTeams = PINGPONG ? CONSUMER_WARPGROUPS : 1;  // consumers of a team work on one tile
constexpr int kRowsEach = PINGPONG ? BLOCK_M : BLOCK_M / CONSUMER_WARPGROUPS;
constexpr int kTilesEach = kRowsEach / 64;
constexpr int kSums = BLOCK_N / 2;  // of a thread for 64 rows
constexpr int kWarpsOfTile = PINGPONG ? 4 : 4 * CONSUMER_WARPGROUPS;

// Registers of a thread: what a block may have, less what the producer keeps, goes to the consumers.
constexpr int kThreads = 128 * (CONSUMER_WARPGROUPS + 1);
constexpr int kAtStart = 65536 / (kThreads * BLOCKS_PER_SM) / 8 * 8;
constexpr int kProducerRegisters = CONSUMER_WARPGROUPS == 3 ? 32 : kTilesEach * kSums > 192 ? 24 : 40;
constexpr int kFree =
    (kAtStart * (CONSUMER_WARPGROUPS + 1) - kProducerRegisters) / CONSUMER_WARPGROUPS / 8 * 8;
[[maybe_unused]] constexpr int kConsumerRegisters = kFree < 240 ? kFree : 240;

// C leaves through shared memory in boxes of 64 rows by as many columns as are swizzled together: 128, 64 or 32 bytes.
constexpr int kBoxBytes = BLOCK_N * kElement % 128 == 0 ? 128 : BLOCK_N * kElement % 64 == 0 ? 64 : 32;
[[maybe_unused]] constexpr int kBox = kBoxBytes / kElement;
[[maybe_unused]] constexpr int kBoxShift = kBoxBytes == 128 ? 0 : kBoxBytes == 64 ? 1 : 2;
constexpr int kBoxBuffer = 64 * kBoxBytes;
constexpr int kOutBytes = STAGED ? CONSUMER_WARPGROUPS * 2 * kBoxBuffer : 0;

#include "gemm_tc_epilogue.cuh"
#include "gemm_tc_padding.cuh"
#include "gemm_tc_split.cuh"
#include "gemm_tc_wgmma_instruction.cuh"

__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

__device__ __forceinline__ void store_box(const TensorMap& map, int x, int y, Address from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
      "cp.async.bulk.commit_group;" ::"l"(reinterpret_cast<unsigned long long>(&map)),
      "r"(x), "r"(y), "r"(from)
      : "memory");
}

__device__ __forceinline__ void warpgroup_barrier(int consumer) {
  asm volatile("bar.sync %0, 128;" ::"r"(consumer + 1) : "memory");
}

// Where a block's shared memory holds what.
struct SharedMemory {
  Address stages, out;  // tiles of A and B, boxes of C
  Address full, empty;  // barriers of each stage: it has been filled, it may be filled again
  Address tile_order;   // barriers of the two consumers of "pingpong": the consumer may begin its tile
};

// Makes the barriers, by one thread.
__device__ __forceinline__ void init_barriers(const SharedMemory& shared) {
  for (int i = 0; i < STAGES; ++i) {
    barrier_init(shared.full + i * 8, 1);
    barrier_init(shared.empty + i * 8, kWarpsOfTile * kSharers);
  }
  for (int i = 0; i < 2; ++i) barrier_init(shared.tile_order + i * 8, 4);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// The producer, one thread: waits for the stage, and loads the block's part of the tiles of A and B number `tile_k`
// along K into it and into the stages of the blocks that share them. `row` and `column` are the block's in C; the
// masks name the blocks that share A and B with this one.
__device__ __forceinline__ void load_stage(const SharedMemory& shared, const RingPosition& position,
                                           const TensorMap& a_map, const TensorMap& b_map, int row,
                                           int column, int tile_k, int block_m, int block_n, int mask_a,
                                           int mask_b) {
  barrier_wait(shared.empty + position.stage * 8, position.parity ^ 1);
  const Address ready = shared.full + position.stage * 8;
  barrier_expect(ready, kStage);
  const int depth = tile_k * BLOCK_K;
  constexpr int rows_a = BLOCK_M / CLUSTER_N;
  const Address to_a = shared.stages + position.stage * kStage + block_n * rows_a * 128;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    load_box(to_a + part * BLOCK_M * 128, a_map, depth + part * kRow, row + block_n * rows_a, ready,
             CLUSTER_N, mask_a);
  }
#if B_IS_KN
  constexpr int rows_b = BLOCK_K / CLUSTER_M;
  const Address to_b = shared.stages + position.stage * kStage + kBytesA + block_m * rows_b * 128;
#pragma unroll
  for (int part = 0; part < BLOCK_N / kRow; ++part) {
    load_box(to_b + part * BLOCK_K * 128, b_map, column + part * kRow, depth + block_m * rows_b, ready,
             CLUSTER_M, mask_b);
  }
#else
  constexpr int rows_b = BLOCK_N / CLUSTER_M;
  const Address to_b = shared.stages + position.stage * kStage + kBytesA + block_m * rows_b * 128;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    load_box(to_b + part * BLOCK_N * 128, b_map, depth + part * kRow, column + block_m * rows_b, ready,
             CLUSTER_M, mask_b);
  }
#endif
}

// Starts the products of a stage. Without `add` the first ones are stored instead of added.
__device__ __forceinline__ void multiply_stage(float (&sums)[kTilesEach][kSums], Address stage,
                                               int row_in_tile, int& add) {
  const Address tile_a = stage + row_in_tile * 128;
  const Address tile_b = stage + kBytesA;
  const unsigned long long from_a = matrix_descriptor(tile_a, 16, 1024);
  const unsigned long long from_b = matrix_descriptor(tile_b, B_IS_KN ? BLOCK_K * 128 : 16, 1024);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int step = 0; step < BLOCK_K / kStep; ++step) {
    const int part = step / 4;  // an instruction takes 32 of the 128 bytes
    const int at_b = B_IS_KN ? step * kStep * 128 : part * BLOCK_N * 128 + step % 4 * 32;
#pragma unroll
    for (int i = 0; i < kTilesEach; ++i) {
      const int at_a = part * BLOCK_M * 128 + i * 64 * 128 + step % 4 * 32;
      multiply(sums[i], from_a + (at_a >> 4), from_b + (at_b >> 4), add);
    }
    add = 1;
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

#if SPLIT_K > 1
// Writes a consumer's sums to those of its part of K.
__device__ __forceinline__ void write_part(const float (&sums)[kTilesEach][kSums], float* partials, int part,
                                           long long m, long long n, int row, int column) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const long long first_row = row + warp * 16 + lane / 4;
  const long long first_column = column + lane % 4 * 2;
  float2* corner = sums_of_part(partials, part, m, n, first_row, first_column);
#pragma unroll
  for (int i = 0; i < kTilesEach; ++i) {
#pragma unroll
    for (int j = 0; j < kSums; j += 2) {
      const int down = i * 64 + j % 4 / 2 * 8;
      const int across = j / 4 * 8;
      store_sums_if(corner + down * pairs_of_row(n) + across / 2, sums[i][j], sums[i][j + 1],
                    first_row + down < m && first_column + across < n);
    }
  }
}
#elif STAGED
// Writes a thread's part of 64 rows of a box to shared memory; `sums` are those of the box.
__device__ __forceinline__ void stage_box(const float* sums, Address buffer, int warp, int lane,
                                          float alpha) {
#if IS_TF32
  const int in_row = warp * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < kBox / 8; ++j) {
    const float* from = sums + j * 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = in_row + half * 8;
      const int vector = (j * 2 + lane % 4 / 2) ^ (at >> kBoxShift & (kBoxBytes / 16 - 1));
      asm volatile(
          "st.shared.v2.f32 [%0], {%1, %2};" ::"r"(buffer + at * kBoxBytes + vector * 16 + lane % 2 * 8),
          "f"(alpha * from[half * 2]), "f"(alpha * from[half * 2 + 1])
          : "memory");
    }
  }
#else
  const int in_row = warp * 16 + lane % 16;
  const int swizzle = in_row >> kBoxShift & (kBoxBytes / 16 - 1);
#pragma unroll
  for (int j = 0; j < kBox / 8; j += 2) {
    const float* from = sums + j * 4;
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
            buffer + in_row * kBoxBytes + ((j + lane / 16) ^ swizzle) * 16),
        "r"(pack(alpha * from[0], alpha * from[1]).bits), "r"(pack(alpha * from[2], alpha * from[3]).bits),
        "r"(pack(alpha * from[4], alpha * from[5]).bits), "r"(pack(alpha * from[6], alpha * from[7]).bits)
        : "memory");
  }
#endif
}

// Writes a consumer's sums through shared memory. `boxes` counts the boxes that the consumer has written, whose buffers
// are used in turn.
__device__ __forceinline__ void write_staged(const float (&sums)[kTilesEach][kSums], const TensorMap& c_map,
                                             Address buffers, int consumer, int row, int column, float alpha,
                                             int& boxes) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4;
#pragma unroll
  for (int i = 0; i < kTilesEach; ++i) {
#pragma unroll
    for (int box = 0; box < BLOCK_N / kBox; ++box) {
      const Address buffer = buffers + (boxes & 1) * kBoxBuffer;
      stage_box(sums[i] + box * (kBox / 8) * 4, buffer, warp, lane, alpha);
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      // The thread that stores has seen the store from the other buffer read all of it before anyone passes the
      // barrier.
      if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      warpgroup_barrier(consumer);
      if (threadIdx.x % 128 == 0) store_box(c_map, column + box * kBox, row + i * 64, buffer);
      ++boxes;
    }
  }
}
#elif ODD_ROWS
// Writes a consumer's sums from registers to rows of any length.
__device__ __forceinline__ void write_direct(const float (&sums)[kTilesEach][kSums], dtype* c, long long m,
                                             long long n, int row, int column, float alpha) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const long long at_column = column + lane % 4 * 2;
  const int columns = static_cast<int>(n - at_column < BLOCK_N ? n - at_column : BLOCK_N);
#pragma unroll
  for (int i = 0; i < kTilesEach * 2; ++i) {
    const long long at_row = row + i / 2 * 64 + warp * 16 + lane / 4 + i % 2 * 8;
    write_odd_row<BLOCK_N / 8>(sums[i / 2] + i % 2 * 2, c, at_row * n + at_column, at_row < m ? columns : 0,
                               alpha);
  }
}
#else
// Writes a consumer's sums from registers, where pairs of C are aligned.
__device__ __forceinline__ void write_direct(const float (&sums)[kTilesEach][kSums], dtype* c, long long m,
                                             long long n, int row, int column, float alpha) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4;
#pragma unroll
  for (int i = 0; i < kTilesEach; ++i) {
    const long long at_row = row + i * 64 + warp * 16 + lane / 4;
    const long long at_column = column + lane % 4 * 2;
    const int rows = static_cast<int>(m - at_row < 64 ? m - at_row : 64);
    const int columns = static_cast<int>(n - at_column < BLOCK_N ? n - at_column : BLOCK_N);
    dtype* to = c + at_row * n + at_column;
#pragma unroll
    for (int j = 0; j < kSums; j += 2) {
      const int down = j % 4 / 2 * 8;
      const int across = j / 4 * 8;
      const bool exists = down < rows && across < columns;
      store_if(to + down * n + across, pack(alpha * sums[i][j], alpha * sums[i][j + 1]), exists);
    }
  }
}
#endif

__global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    gemm_tc(const dtype* __restrict__ a, const dtype* __restrict__ b, dtype* __restrict__ c,
            const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map,
            const __grid_constant__ TensorMap c_map, long long m, long long n, long long k, float alpha,
            float beta, const dtype* __restrict__, const dtype* __restrict__,
            [[maybe_unused]] const __grid_constant__ TensorMap a_padded_map,
            [[maybe_unused]] const __grid_constant__ TensorMap b_padded_map,
            [[maybe_unused]] float* __restrict__ partials) {
#if PADDED_MAPS
  const TensorMap& map_of_a = k * kElement % 16 == 0 ? a_map : a_padded_map;
  const TensorMap& map_of_b = (B_IS_KN ? n : k) * kElement % 16 == 0 ? b_map : b_padded_map;
#else
  const TensorMap& map_of_a = a_map;
  const TensorMap& map_of_b = b_map;
#endif
  extern __shared__ char shared_bytes[];
  SharedMemory shared;
  shared.stages = (static_cast<Address>(__cvta_generic_to_shared(shared_bytes)) + 1023) & ~1023u;
  shared.out = shared.stages + STAGES * kStage;
  shared.full = shared.out + kOutBytes;
  shared.empty = shared.full + STAGES * 8;
  shared.tile_order = shared.empty + STAGES * 8;

  const int group = static_cast<int>(threadIdx.x) / 128;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#if CLUSTER_M * CLUSTER_N > 1
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#else
  const unsigned rank = 0;
#endif
  const int block_m = static_cast<int>(rank) % CLUSTER_M;
  const int block_n = static_cast<int>(rank) / CLUSTER_M;
  const int clusters = static_cast<int>(gridDim.x) / kCluster;
  const int first = static_cast<int>(blockIdx.x) / kCluster;
  const ClusterTiles tiles(m, n);
  const int tile_count = tiles.count();
  const int tiles_k = steps_of_part(k);

  // The thread that loads, 0, finds the first tile while another one makes the barriers.
  int row = 0;
  int column = 0;
  if (threadIdx.x < 32) {
    tiles.find(first, block_m, block_n, row, column);
    asm volatile("" : "+r"(row), "+r"(column));  // here, not where they are used
  } else if (threadIdx.x == 32) {
    asm volatile("prefetch.tensormap [%0];\nprefetch.tensormap [%1];" ::"l"(&map_of_a), "l"(&map_of_b)
                 : "memory");
    init_barriers(shared);
  }
  if (kCluster > 1) {
    cluster_barrier();
  } else {
    __syncthreads();
  }

  if (group == 0) {
#if CONSUMER_WARPGROUPS * BLOCKS_PER_SM > 1
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kProducerRegisters));
#endif
    if (threadIdx.x == 0) {
      const int mask_a = ((1 << CLUSTER_M * CLUSTER_N) - 1) / ((1 << CLUSTER_M) - 1) << block_m;
      const int mask_b = ((1 << CLUSTER_M) - 1) << block_n * CLUSTER_M;
      RingPosition position;
      for (int tile = first; tile < tile_count; tile += clusters) {
        if (tile != first) tiles.find(tile, block_m, block_n, row, column);
        const int first_k = tiles.part(tile) * tiles_k;
        for (int tile_k = 0; tile_k < tiles_k; ++tile_k) {
          load_stage(shared, position, map_of_a, map_of_b, row, column, first_k + tile_k, block_m, block_n,
                     mask_a, mask_b);
          position.advance();
        }
      }
    }
  } else {
#if CONSUMER_WARPGROUPS * BLOCKS_PER_SM > 1
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kConsumerRegisters));
#endif
    const int consumer = group - 1;
    const int team = PINGPONG ? consumer : 0;
    const int row_in_tile = PINGPONG ? 0 : consumer * kRowsEach;
    const int warp = static_cast<int>(threadIdx.x) / 32 % 4;
    // Of the blocks that share with this one, lane i of each warp tells the i-th that a stage is free.
    const int sharer = lane < CLUSTER_M
                           ? lane + block_n * CLUSTER_M
                           : block_m + (lane - CLUSTER_M + (lane - CLUSTER_M >= block_n)) * CLUSTER_M;
    [[maybe_unused]] int boxes = 0;
    [[maybe_unused]] int round = 0;
    RingPosition position;
    position.advance_by(team * tiles_k);
    for (int tile = first + team * clusters; tile < tile_count; tile += kTeams * clusters) {
      tiles.find(tile, block_m, block_n, row, column);
      row += row_in_tile;
      float sums[kTilesEach][kSums];
      int add = 0;
      int last = 0;
#if PINGPONG
      // Not before the other consumer has seen all of its stages filled: a barrier tells the phase that is waited for
      // from the one before it alone, not from earlier ones.
      barrier_wait(shared.tile_order + team * 8, (round + team + 1) & 1);
      ++round;
#endif
#pragma unroll 1
      for (int tile_k = 0; tile_k < tiles_k; ++tile_k) {
        barrier_wait(shared.full + position.stage * 8, position.parity);
        multiply_stage(sums, shared.stages + position.stage * kStage, row_in_tile, add);
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (tile_k > 0 && lane < kSharers) barrier_arrive(shared.empty + last * 8, sharer);
        last = position.stage;
        position.advance();
      }
#if PINGPONG
      if (lane == 0) barrier_arrive(shared.tile_order + (team ^ 1) * 8, static_cast<int>(rank));
#endif
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      fence_sums(sums);
      if (lane < kSharers) barrier_arrive(shared.empty + last * 8, sharer);
      position.advance_by((kTeams - 1) * tiles_k);

#if SPLIT_K > 1
      write_part(sums, partials, tiles.part(tile), m, n, row, column);
#else
#if STAGED
      if (beta == 0.0f) {
        write_staged(sums, c_map, shared.out + consumer * 2 * kBoxBuffer, consumer, row, column, alpha,
                     boxes);
        continue;
      }
#else
      if (beta == 0.0f && (ODD_ROWS ? reinterpret_cast<size_t>(c) % 4 == 0 : pairs_are_aligned(c, n))) {
        write_direct(sums, c, m, n, row, column, alpha);
        continue;
      }
#endif
      // Any beta and any alignment: loops over sums in local memory, because unrolled for all sums they take the
      // compiler too long.
      float kept[kTilesEach * kSums];
#pragma unroll
      for (int i = 0; i < kTilesEach * kSums; ++i) kept[i] = sums[i / kSums][i % kSums];
      row += warp * 16 + lane / 4;
      column += lane % 4 * 2;
      const bool by_pairs = pairs_are_aligned(c, n);
#pragma unroll 4
      for (int i = 0; i < kTilesEach * kSums; i += 2) {
        const long long at_row = row + i / kSums * 64 + i % 4 / 2 * 8;
        const long long at_column = column + i % kSums / 4 * 8;
        dtype* to = c + at_row * n + at_column;
        if (by_pairs && at_row < m && at_column < n) {
          write_pair(to, alpha * kept[i], alpha * kept[i + 1], beta);
        }
      }
#pragma unroll 1
      for (int i = 0; i < kTilesEach * kSums && !by_pairs; ++i) {
        const long long at_row = row + i / kSums * 64 + i % 4 / 2 * 8;
        const long long at_column = column + i % kSums / 4 * 8 + i % 2;
        if (at_row >= m || at_column >= n) continue;
        write_element(c + at_row * n + at_column, alpha * kept[i], beta);
      }
#endif
    }
#if STAGED
    if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
  }
  // A block stays until the others of its cluster have no more to send to it.
  if (kCluster > 1) cluster_barrier();
}
