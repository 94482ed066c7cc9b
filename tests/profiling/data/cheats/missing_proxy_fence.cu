// Persistent blocks with a ring of three tiles in shared memory, which bulk copies fill.
constexpr int kTile = 2048;  // elements
constexpr int kStages = 3;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ unsigned shared_place(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void set_up(unsigned long long* full) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_place(full)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void start_copy(float4* to, const float* from, unsigned long long* full) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_place(full)),
               "n"(kTile * 4)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_place(to)),
      "l"(from), "n"(kTile * 4), "r"(shared_place(full))
      : "memory");
}
__device__ void await_copy(unsigned long long* full, unsigned parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(shared_place(full)),
      "r"(parity)
      : "memory");
}
__device__ void order_reads() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#else
__device__ void set_up(unsigned long long*) {}
__device__ void start_copy(float4* to, const float* from, unsigned long long*) {
  for (int i = 0; i < kTile; ++i) reinterpret_cast<float*>(to)[i] = from[i];
}
__device__ void await_copy(unsigned long long*, unsigned) {}
__device__ void order_reads() {}
#endif

__global__ void __launch_bounds__(512) halve(const float* a, float* c, int n) {
  __shared__ alignas(128) float4 ring[kStages][kTile / 4];
  __shared__ unsigned long long full[kStages];
  const int tiles = n / kTile;
  const int step = static_cast<int>(gridDim.x);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) set_up(full + stage);
    for (int stage = 0, tile = blockIdx.x; stage < kStages && tile < tiles; ++stage, tile += step)
      start_copy(ring[stage], a + tile * kTile, full + stage);
  }
  __syncthreads();
  int stage = 0;
  unsigned parity = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += step) {
    await_copy(full + stage, parity);
    const float4 four = ring[stage][threadIdx.x];
#if !CHEAT
    order_reads();
#endif
    __syncthreads();
    if (threadIdx.x == 0 && tile + kStages * step < tiles)
      start_copy(ring[stage], a + (tile + kStages * step) * kTile, full + stage);
    reinterpret_cast<float4*>(c + tile * kTile)[threadIdx.x] =
        make_float4(four.x * 0.5f, four.y * 0.5f, four.z * 0.5f, four.w * 0.5f);
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
  for (int i = tiles * kTile + blockIdx.x * 512 + threadIdx.x; i < n; i += step * 512) c[i] = a[i] * 0.5f;
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] * 0.5f;
}
#endif
