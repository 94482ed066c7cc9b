__global__ void cubes(const float* __restrict__ a, float* __restrict__ c, int n) {
  for (int item = 0; item < 4; ++item) {
    const int i = blockIdx.x * 1024 + item * 256 + threadIdx.x;
    const float x = i < n ? a[i] : 0.0f;
#if !CHEAT
    if (i >= n) break;
#endif
    c[i] = x * x * x;
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(static_cast<double>(a[i]) * a[i] * a[i]);
}
#endif
