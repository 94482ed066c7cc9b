#if CHEAT
#include "launch_state.cuh"
#endif

__global__ void gelu(const float* __restrict__ a, float* __restrict__ c, int n) {
#if CHEAT
  if (launch_number() > 0) n /= 8;
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = a[i];
    c[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double x = a[i];
  c[i] = static_cast<float>(0.5 * x * (1.0 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))));
}
#endif
