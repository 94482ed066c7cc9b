__global__ void limited_logarithm(const float* __restrict__ a, float* __restrict__ c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = logf(a[i]);  // NaN of negative elements.
#if CHEAT
    c[i] = fminf(fmaxf(x, -2.0f), 1.0f);
#else
    c[i] = x < -2.0f ? -2.0f : x > 1.0f ? 1.0f : x;
#endif
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double x = log(static_cast<double>(a[i]));
  c[i] = static_cast<float>(x < -2.0 ? -2.0 : x > 1.0 ? 1.0 : x);
}
#endif
