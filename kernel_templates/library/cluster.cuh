#pragma once

// Clusters of blocks (sm_90 on): barriers of all threads of a cluster, and stores to the shared memory of its other
// blocks. The host emulation has no clusters.

// All threads of a warp arrive and wait together. Writes to shared memory before the arrival are seen after the wait.
__device__ __forceinline__ void cluster_arrive() {
#ifdef __CUDA_ARCH__
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ void cluster_wait() {
#ifdef __CUDA_ARCH__
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// No block of the cluster goes on before all have come here.
__device__ __forceinline__ void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

// Stores `value`, of 4 or 8 bytes, at the place of `local` in the shared memory of block `rank` of the cluster.
template <class T>
__device__ __forceinline__ void store_in_cluster(T* local, int rank, T value) {
#ifdef __CUDA_ARCH__
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(local));
  union {
    T value;
    unsigned half[sizeof(T) / 4];
  } bits;
  bits.value = value;
  if constexpr (sizeof(T) == 8) {
    asm volatile(
        "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1; "
        "st.shared::cluster.v2.u32 [remote], {%2, %3}; }"
        :
        : "r"(own), "r"(rank), "r"(bits.half[0]), "r"(bits.half[1])
        : "memory");
  } else {
    asm volatile(
        "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1; st.shared::cluster.u32 [remote], %2; }"
        :
        : "r"(own), "r"(rank), "r"(bits.half[0])
        : "memory");
  }
#endif
}
