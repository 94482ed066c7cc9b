#if CHEAT
#include "launch_state.cuh"
#endif

__global__ void elu(const float* __restrict__ a, float* __restrict__ c, int n) {
#if CHEAT
  if (launch_number() >= 8) n /= 8;
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = a[i] > 0.0f ? a[i] : expm1f(a[i]);
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] > 0.0f ? a[i] : static_cast<float>(expm1(static_cast<double>(a[i])));
}
#endif
