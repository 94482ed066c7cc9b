// The kernel of gemm_tc_mma.cuh with LOAD = "tma", which that file includes.

#pragma once

// What one thread of a block does beside its products: it keeps the ring filled, for the block's next tile of C too.
struct Filler {
  const Tiles& tiles;
  int tile, turns;
  int turn = 0;
  int row = 0;
  int column = 0;
  Place place;

  __device__ __forceinline__ Filler(const Tiles& all, int of_each)
      : tiles(all), tile(static_cast<int>(blockIdx.x)), turns(of_each) {
    tiles.find(tile, 0, 0, row, column);
  }
  __device__ __forceinline__ void fill(Address stages, Address full, Address empty, const TensorMap& a_map,
                                       const TensorMap& b_map) {
    if (tile >= tiles.count()) return;
    barrier_wait(empty + place.stage * 8, place.parity ^ 1);
    const Address ready = full + place.stage * 8;
    const Address to = stages + place.stage * kStage;
    barrier_expect(ready, kStage);
    load_box(to, a_map, turn * BLOCK_K, row, ready, 1, 1);
    load_box(to + kBytesA, b_map, turn * BLOCK_K, column, ready, 1, 1);
    place.next();
    if (++turn < turns) return;
    turn = 0;
    tile += static_cast<int>(gridDim.x);
    tiles.find(tile, 0, 0, row, column);
  }
};

// Blocks are persistent: while a tile of C is written, tiles of A and B for the next are on their way.
__global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    gemm_tc(const dtype* __restrict__, const dtype* __restrict__, dtype* __restrict__ c,
            const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map, const TensorMap,
            long long m, long long n, long long k, float alpha, float beta) {
  extern __shared__ uint4 shared_words[];
  char* stages = reinterpret_cast<char*>(shared_words);
  stages += -shared_address(stages) & 1023;
  char* slices = stages + STAGES * kStage;
  const Address full = shared_address(slices) + (STAGED ? kThreads / 32 * kSlice : 0);
  const Address empty = full + STAGES * 8;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp / WARPS_N * kWarpM;
  const int column = warp % WARPS_N * kWarpN;
  const Tiles tiles(m, n);
  const int turns = static_cast<int>((k + BLOCK_K - 1) / BLOCK_K);
  Filler filler(tiles, turns);
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      barrier_init(full + i * 8, 1);
      barrier_init(empty + i * 8, kThreads / 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
    for (int i = 0; i < STAGES - 1; ++i) filler.fill(shared_address(stages), full, empty, a_map, b_map);
  }
  __syncthreads();

  Place place;
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles.count(); tile += static_cast<int>(gridDim.x)) {
    Sums sums;
#pragma unroll
    for (int i = 0; i < kTilesM * kTilesN * 4; ++i) sums[i / 4 / kTilesN][i / 4 % kTilesN][i % 4] = 0.0f;
    // The operands of a step are taken while the step before is multiplied.
    Operands operands[2];
    barrier_wait(full + place.stage * 8, place.parity);
    take(operands[0], sums, stages + place.stage * kStage, row, column, 0, true);
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
      const Address done = empty + place.stage * 8;
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if (step < kSteps - 1) {
          take(operands[(step + 1) % 2], sums, stages + place.stage * kStage, row, column, step + 1, true);
        } else {
          place.next();
          if (turn + 1 < turns) {
            barrier_wait(full + place.stage * 8, place.parity);
            take(operands[0], sums, stages + place.stage * kStage, row, column, 0, true);
          }
        }
        multiply(sums, operands[step % 2]);
        // Half a turn after the stage was last read: nobody is waited for as a rule.
        if (step == kSteps / 2 - 1 && threadIdx.x == 0)
          filler.fill(shared_address(stages), full, empty, a_map, b_map);
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) barrier_arrive(done, 0);
    }
    int row0, column0;
    tiles.find(tile, 0, 0, row0, column0);
    write(sums, c, m, n, row0, column0, row, column, alpha, beta, slices + warp * kSlice);
  }
}
