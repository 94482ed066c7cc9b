__global__ void quotient(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                         int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#if CHEAT
    c[i] = __fdividef(a[i], b[i]);
#else
    c[i] = a[i] / b[i];
#endif
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(static_cast<double>(a[i]) / b[i]);
}
#endif
