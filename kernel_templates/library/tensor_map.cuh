#pragma once

// Boxes of a matrix that the tensor memory accelerator copies to shared memory (cp.async.bulk.tensor, sm_90 on), and
// the mbarriers in shared memory that count the bytes as they arrive. The phases of an mbarrier have parity 0 and 1
// in turn.

// What the driver calls a CUtensorMap: a matrix in global memory and the box of one copy.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};
using Address = unsigned;  // in shared memory

#ifdef __CUDA_ARCH__
__device__ __forceinline__ void barrier_init(Address barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Arrives, and lets the phase end when `bytes` more have come.
__device__ __forceinline__ void barrier_expect(Address barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Waits until the phase of this parity has ended.
__device__ __forceinline__ void barrier_wait(Address barrier, int parity) {
  asm volatile(
      "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; @done bra past; "
      "bra again; "
      "past: }" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Copies the box at column `x` and row `y` of a matrix. What lies outside of the matrix becomes 0. With more than one
// of `sharers`, it goes to all blocks of the cluster that `mask` names, to the same place in the shared memory of
// each.
__device__ __forceinline__ void load_box(Address to, const TensorMap& map, int x, int y, Address barrier,
                                         int sharers = 1, int mask = 1) {
  const unsigned long long address = reinterpret_cast<unsigned long long>(&map);
  if (sharers > 1) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, "
        "{%2, %3}], [%4], %5;" ::"r"(to),
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
#endif
