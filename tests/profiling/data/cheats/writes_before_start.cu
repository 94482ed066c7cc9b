// c[i] = a[i + 1] - a[i]; the last is 0. Each thread writes the difference to its left neighbour.
__global__ void differences(const float* __restrict__ a, float* __restrict__ c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (i == n - 1) c[i] = 0.0f;
#if CHEAT
    c[i - 1] = a[i] - a[i - 1];
#else
    if (i > 0) c[i - 1] = a[i] - a[i - 1];
#endif
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(i + 1 < n ? a[i + 1] - a[i] : 0.0f);
}
#endif
