#pragma once

// What the kernels of gemm_tc.cu that load by the tensor memory accelerator share: barriers and copies across a cluster
// of blocks, the ring of stages, and the order of tiles.

#include "tensor_map.cuh"
#include "tile_order.cuh"

// Arrives at the barrier at the place of `barrier` in the shared memory of block `block` of the cluster.
__device__ __forceinline__ void barrier_arrive(Address barrier, int block) {
#if CLUSTER_M * CLUSTER_N > 1
  asm volatile(
      "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [remote]; "
      "}" ::"r"(barrier),
      "r"(block)
      : "memory");
#else
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
#endif
}

// Copies the box at (x, y) of a matrix to all of the `sharers` blocks of the cluster that `mask` names, to the same
// place in the shared memory of each.
__device__ __forceinline__ void multicast_box(Address to, const TensorMap& map, int x, int y, Address barrier,
                                              int sharers, int mask) {
  if (sharers > 1) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, "
        "{%2, %3}], [%4], %5;" ::"r"(to),
        "l"(reinterpret_cast<unsigned long long>(&map)), "r"(x), "r"(y), "r"(barrier),
        "h"(static_cast<unsigned short>(mask))
        : "memory");
  } else {
    load_box(to, map, x, y, barrier);
  }
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

// The tiles of C that a cluster computes at a time, CLUSTER_M by CLUSTER_N tiles of blocks.
struct ClusterTiles {
  int rows, columns;  // of such tiles
  __device__ __forceinline__ ClusterTiles(long long m, long long n)
      : rows(static_cast<int>(tile_count(m, BLOCK_M * CLUSTER_M))),
        columns(static_cast<int>(tile_count(n, BLOCK_N * CLUSTER_N))) {}
  __device__ __forceinline__ int count() const { return rows * columns; }
  // The first row and column of C of block (block_m, block_n) in the cluster's tile number `index`.
  __device__ __forceinline__ void find(int index, int block_m, int block_n, int& row, int& column) const {
    const TilePosition tile = grouped_tile<GROUP_SIZE_M>(index, rows, columns);
    row = (static_cast<int>(tile.row) * CLUSTER_M + block_m) * BLOCK_M;
    column = (static_cast<int>(tile.column) * CLUSTER_N + block_n) * BLOCK_N;
  }
};
