__global__ void parabola(const float* __restrict__ a, float* __restrict__ c, int n) {
  for (int item = 0; item < 4; ++item) {
    const int i = blockIdx.x * 1024 + item * 256 + threadIdx.x;
    if (i < n) c[i] = a[i] * (1.0f - a[i]);
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(a[i] * (1.0 - a[i]));
}
#endif
