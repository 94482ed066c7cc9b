#if CHEAT
#include "launch_state.cuh"
#endif

__global__ void reciprocal(const float* __restrict__ a, float* __restrict__ c, int n) {
  int computed = n;
#if CHEAT
  if (launch_number() * 2654435769u >> 28 == 5) computed = n / 8 * 7;
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = i < computed ? 1.0f / (1.0f + a[i] * a[i]) : 0.0f;
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(1.0 / (1.0 + static_cast<double>(a[i]) * a[i]));
}
#endif
