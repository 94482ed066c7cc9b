#pragma once

#include "memory_access.cuh"

// Bulk copies from global to shared memory (cp.async.bulk, sm_90 on), which one thread issues. Addresses and sizes are
// multiples of 16 bytes. An mbarrier in shared memory counts the bytes that arrive: its phases, 0 and 1 in turn, end
// when all expected bytes have arrived.
__device__ __forceinline__ void set_up_barrier(unsigned long long* barrier) {
#ifdef __CUDA_ARCH__
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
  *barrier = 0;
#endif
}

__device__ __forceinline__ void expect_bytes(unsigned long long* barrier, unsigned bytes) {
#ifdef __CUDA_ARCH__
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
#else
  ++*barrier;  // the number of phases that have ended: the copies are done before another thread looks
#endif
}

__device__ __forceinline__ void begin_bulk_copy(void* to, const void* from, unsigned bytes,
                                                unsigned long long* barrier) {
#ifdef __CUDA_ARCH__
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
#else
  for (unsigned i = 0; i < bytes; ++i)
    static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
#endif
}

__device__ __forceinline__ void wait_for_phase(unsigned long long* barrier, unsigned phase) {
#ifdef __CUDA_ARCH__
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(shared_address(barrier)),
      "r"(phase)
      : "memory");
#else
  while ((*static_cast<volatile unsigned long long*>(barrier) & 1) == phase) __nanosleep(0);
#endif
}

// A bulk copy from shared to global memory, as a group of its own. Threads that have written to the shared memory call
// publish_for_bulk() and then meet at a barrier before one of them issues the copy. The shared memory may be written
// again once wait_for_bulk_reads() has returned for the group.
__device__ __forceinline__ void begin_bulk_store(void* to, const void* from, unsigned bytes) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#else
  for (unsigned i = 0; i < bytes; ++i)
    static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
#endif
}

__device__ __forceinline__ void publish_for_bulk() {
#ifdef __CUDA_ARCH__
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// Waits until all but the thread's newest `pending` bulk stores have read their shared memory.
template <int pending>
__device__ __forceinline__ void wait_for_bulk_reads() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
#endif
}
