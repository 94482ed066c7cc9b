__global__ void reverse_tiles(const float* __restrict__ a, float* __restrict__ c, int n) {
  __shared__ float tile[256];
  for (int first = blockIdx.x * 256; first < n; first += gridDim.x * 256) {
    const int count = n - first < 256 ? n - first : 256;
    const int i = threadIdx.x;
    if (i < count) tile[i] = a[first + i];
#if !CHEAT
    __syncthreads();
#endif
    if (i < count) c[first + i] = tile[count - 1 - i];
    __syncthreads();
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = i / 256 * 256;
  if (i < n) c[i] = a[first + (n - first < 256 ? n - first : 256) - 1 - i % 256];
}
#endif
