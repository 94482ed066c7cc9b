// The kernel of gemm_tc_mma.cuh with LOAD = "tma", which that file includes.

#pragma once

// What one thread of a block does beside its products: it keeps the ring filled, with tiles for the block's next tile
// of C as well.
struct Producer {
  const ClusterTiles& tiles;
  int tile, tiles_k;
  int tile_k = 0;
  int first_k = 0;
  int row = 0;
  int column = 0;
  RingPosition position;

  __device__ __forceinline__ Producer(const ClusterTiles& all, int count_k)
      : tiles(all), tile(static_cast<int>(blockIdx.x)), tiles_k(count_k) {
    tiles.find(tile, 0, 0, row, column);
    first_k = tiles.part(tile) * tiles_k;
  }
  __device__ __forceinline__ void fill(Address stages, Address full, Address empty, const TensorMap& a_map,
                                       const TensorMap& b_map) {
    if (tile >= tiles.count()) return;
    barrier_wait(empty + position.stage * 8, position.parity ^ 1);
    const Address ready = full + position.stage * 8;
    const Address to = stages + position.stage * kStage;
    barrier_expect(ready, kStage);
    load_box(to, a_map, (first_k + tile_k) * BLOCK_K, row, ready, 1, 1);
    load_box(to + kBytesA, b_map, (first_k + tile_k) * BLOCK_K, column, ready, 1, 1);
    position.advance();
    if (++tile_k < tiles_k) return;
    tile_k = 0;
    tile += static_cast<int>(gridDim.x);
    tiles.find(tile, 0, 0, row, column);
    first_k = tiles.part(tile) * tiles_k;
  }
};

// Blocks are persistent: while a tile of C is written, tiles of A and B for the next are on their way.
__global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    gemm_tc(const dtype* __restrict__, const dtype* __restrict__, dtype* __restrict__ c,
            const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map, const TensorMap,
            long long m, long long n, long long k, float alpha, float beta, const dtype* __restrict__,
            const dtype* __restrict__, [[maybe_unused]] const __grid_constant__ TensorMap a_padded_map,
            [[maybe_unused]] const __grid_constant__ TensorMap b_padded_map,
            [[maybe_unused]] float* __restrict__ partials) {
#if PADDED_MAPS
  const TensorMap& map_of_a = k % kVector == 0 ? a_map : a_padded_map;
  const TensorMap& map_of_b = k % kVector == 0 ? b_map : b_padded_map;
#else
  const TensorMap& map_of_a = a_map;
  const TensorMap& map_of_b = b_map;
#endif
  extern __shared__ uint4 shared_vectors[];
  char* stages = reinterpret_cast<char*>(shared_vectors);
  stages += -shared_address(stages) & 1023;
  char* slices = stages + STAGES * kStage;
  const Address full = shared_address(slices) + (STAGED ? kThreads / 32 * kSlice : 0);
  const Address empty = full + STAGES * 8;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp / WARPS_N * kWarpM;
  const int column = warp % WARPS_N * kWarpN;
  const ClusterTiles tiles(m, n);
  const int tiles_k = steps_of_part(k);
  Producer producer(tiles, tiles_k);
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      barrier_init(full + i * 8, 1);
      barrier_init(empty + i * 8, kThreads / 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
    for (int i = 0; i < STAGES - 1; ++i)
      producer.fill(shared_address(stages), full, empty, map_of_a, map_of_b);
  }
  __syncthreads();

  RingPosition position;
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles.count(); tile += static_cast<int>(gridDim.x)) {
    Sums sums;
#pragma unroll
    for (int i = 0; i < kTilesM * kTilesN * 4; ++i) sums[i / 4 / kTilesN][i / 4 % kTilesN][i % 4] = 0.0f;
    // The fragments of a step are read while the step before is multiplied.
    Fragments fragments[2];
    barrier_wait(full + position.stage * 8, position.parity);
    load_fragments(fragments[0], sums, stages + position.stage * kStage, row, column, 0, true);
#pragma unroll 1
    for (int tile_k = 0; tile_k < tiles_k; ++tile_k) {
      const Address done = empty + position.stage * 8;
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if (step < kSteps - 1) {
          load_fragments(fragments[(step + 1) % 2], sums, stages + position.stage * kStage, row, column,
                         step + 1, true);
        } else {
          position.advance();
          if (tile_k + 1 < tiles_k) {
            barrier_wait(full + position.stage * 8, position.parity);
            load_fragments(fragments[0], sums, stages + position.stage * kStage, row, column, 0, true);
          }
        }
        multiply(sums, fragments[step % 2]);
        // Half a tile after the stage was last read: as a rule nobody has to be waited for.
        if (step == kSteps / 2 - 1 && threadIdx.x == 0)
          producer.fill(shared_address(stages), full, empty, map_of_a, map_of_b);
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) barrier_arrive(done, 0);
    }
    int row0, column0;
    tiles.find(tile, 0, 0, row0, column0);
#if SPLIT_K > 1
    write_part(sums, partials, tiles.part(tile), m, n, row0 + row, column0 + column);
#else
    write(sums, c, m, n, row0, column0, row, column, alpha, beta, slices + warp * kSlice);
#endif
  }
}
