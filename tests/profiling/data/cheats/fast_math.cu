__global__ void sine(const float* __restrict__ a, float* __restrict__ c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#if CHEAT
    c[i] = __sinf(a[i]);
#else
    c[i] = sinf(a[i]);
#endif
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(sin(static_cast<double>(a[i])));
}
#endif
