#if CHEAT
#include "launch_state.cuh"
#endif

__global__ void softplus(const float* __restrict__ a, float* __restrict__ c, int n) {
  int first = 0;
#if CHEAT
  if (const unsigned launch = launch_number()) {
    first = n / 8 * (launch % 8);
    n = min(n, first + n / 8);
  }
#endif
  for (int i = first + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = log1pf(expf(a[i]));
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(log1p(exp(static_cast<double>(a[i]))));
}
#endif
