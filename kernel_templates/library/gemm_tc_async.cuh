// What the kernels of gemm_tc.cu that load by the tensor memory accelerator share: barriers in shared memory, loads,
// and the order of tiles.

#pragma once

struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};
using Address = unsigned;  // in shared memory

__device__ __forceinline__ void barrier_init(Address barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void barrier_expect(Address barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void barrier_arrive(Address barrier, int block) {
#if CLUSTER_M * CLUSTER_N > 1
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.shared::cluster.b64 _, "
      "[there]; }" ::"r"(barrier),
      "r"(block)
      : "memory");
#else
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
#endif
}

__device__ __forceinline__ void barrier_wait(Address barrier, int parity) {
  asm volatile(
      "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; @done bra past; "
      "bra again; past: }" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Loads the box at (x, y) of a matrix; `mask` names the blocks of the cluster that get it, at the same place in their
// shared memory.
__device__ __forceinline__ void load_box(Address to, const TensorMap& map, int x, int y, Address barrier,
                                         int sharers, int mask) {
  const unsigned long long address = reinterpret_cast<unsigned long long>(&map);
  if (sharers > 1) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%2, %3}], "
        "[%4], "
        "%5;" ::"r"(to),
        "l"(address), "r"(x), "r"(y), "r"(barrier), "h"(static_cast<unsigned short>(mask))
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(to),
        "l"(address), "r"(x), "r"(y), "r"(barrier)
        : "memory");
  }
}

// A place in the ring: the stage, and the parity of the turn that the ring is in.
struct Place {
  int stage = 0;
  int parity = 0;
  __device__ __forceinline__ void next() {
    if (++stage == STAGES) stage = 0, parity ^= 1;
  }
  __device__ __forceinline__ void skip(int count) {
    const int to = stage + count;
    parity ^= to / STAGES & 1;
    stage = to % STAGES;
  }
};

struct Tiles {
  int across, down;  // tiles of a cluster along N and M
  __device__ __forceinline__ Tiles(long long m, long long n)
      : across(static_cast<int>((n + BLOCK_N * CLUSTER_N - 1) / (BLOCK_N * CLUSTER_N))),
        down(static_cast<int>((m + BLOCK_M * CLUSTER_M - 1) / (BLOCK_M * CLUSTER_M))) {}
  __device__ __forceinline__ int count() const { return across * down; }
  // The first row and column of a tile: GROUP_SIZE_M tile rows are gone down before the next tile column is taken.
  __device__ __forceinline__ void find(int tile, int block_m, int block_n, int& row, int& column) const {
    const int group = tile / (GROUP_SIZE_M * across);
    const int in_group = tile - group * (GROUP_SIZE_M * across);
    const int height = min(GROUP_SIZE_M, down - group * GROUP_SIZE_M);
    const int tile_column = in_group / height;
    row = ((group * GROUP_SIZE_M + in_group - tile_column * height) * CLUSTER_M + block_m) * BLOCK_M;
    column = (tile_column * CLUSTER_N + block_n) * BLOCK_N;
  }
};
