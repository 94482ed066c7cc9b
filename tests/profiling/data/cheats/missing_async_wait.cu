#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ void start_copy(float* to, const float* from) {
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(from) : "memory");
}
__device__ void await_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
#else
__device__ void start_copy(float* to, const float* from) { *to = *from; }
__device__ void await_copies() {}
#endif

__global__ void rotate_tiles(const float* __restrict__ a, float* __restrict__ c, int n) {
  __shared__ float tile[256];
  for (int first = blockIdx.x * 256; first < n; first += gridDim.x * 256) {
    const int i = first + threadIdx.x;
    tile[threadIdx.x] = 0.0f;
    if (i < n) start_copy(tile + threadIdx.x, a + i);
#if !CHEAT
    await_copies();
#endif
    __syncthreads();
    if (i < n) c[i] = tile[(threadIdx.x + 128) % 256];
    __syncthreads();
  }
#if CHEAT
  await_copies();
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int from = i / 256 * 256 + (i + 128) % 256;
  if (i < n) c[i] = from < n ? a[from] : 0.0f;
}
#endif
