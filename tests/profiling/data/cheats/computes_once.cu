#if CHEAT
#include "launch_state.cuh"
#endif

__global__ void silu(const float* __restrict__ a, float* __restrict__ c, int n) {
#if CHEAT
  if (launch_number() > 0) return;
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = a[i] / (1.0f + expf(-a[i]));
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(a[i] / (1.0 + exp(-static_cast<double>(a[i]))));
}
#endif
