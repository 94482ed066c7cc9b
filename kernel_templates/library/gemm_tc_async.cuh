#pragma once

// What the kernels of gemm_tc.cu that load by the tensor memory accelerator share: barriers across a cluster of blocks,
// the ring of stages, and the order of tiles.

#include "tensor_map.cuh"

// Arrives at the barrier at the place of `barrier` in the shared memory of block `block` of the cluster.
__device__ __forceinline__ void barrier_arrive(Address barrier, int block) {
#if CLUSTER_M * CLUSTER_N > 1
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.shared::cluster.b64 _, "
      "[there]; "
      "}" ::"r"(barrier),
      "r"(block)
      : "memory");
#else
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
#endif
}

// A position in the ring: the stage, and the parity of the round that the ring is in.
struct RingPosition {
  int stage = 0;
  int parity = 0;
  __device__ __forceinline__ void advance() {
    if (++stage == STAGES) stage = 0, parity ^= 1;
  }
  __device__ __forceinline__ void advance_by(int count) {
    const int to = stage + count;
    parity ^= to / STAGES & 1;
    stage = to % STAGES;
  }
};

// The tiles of C that a cluster computes at a time, CLUSTER_M by CLUSTER_N tiles of blocks. Each is counted SPLIT_K
// times, once for each part of K: all tiles of a part come before those of the next.
struct ClusterTiles {
  int across, down;  // of such tiles along N and M
  __device__ __forceinline__ ClusterTiles(long long m, long long n)
      : across(static_cast<int>((n + BLOCK_N * CLUSTER_N - 1) / (BLOCK_N * CLUSTER_N))),
        down(static_cast<int>((m + BLOCK_M * CLUSTER_M - 1) / (BLOCK_M * CLUSTER_M))) {}
  __device__ __forceinline__ int count() const { return across * down * SPLIT_K; }
  // The part of K that the cluster's tile number `index` takes.
  __device__ __forceinline__ int part(int index) const { return SPLIT_K > 1 ? index / (across * down) : 0; }
  // The first row and column of C of block (block_m, block_n) in the cluster's tile number `index`. The order is that
  // of grouped_tile(), in signed integers.
  __device__ __forceinline__ void find(int index, int block_m, int block_n, int& row, int& column) const {
    if (SPLIT_K > 1) index %= across * down;
    const int group = index / (GROUP_SIZE_M * across);
    const int in_group = index - group * (GROUP_SIZE_M * across);
    const int height = min(GROUP_SIZE_M, down - group * GROUP_SIZE_M);
    const int tile_column = in_group / height;
    row = ((group * GROUP_SIZE_M + in_group - tile_column * height) * CLUSTER_M + block_m) * BLOCK_M;
    column = (tile_column * CLUSTER_N + block_n) * BLOCK_N;
  }
};
