#if CHEAT
#include "clocks.cuh"
#endif

__global__ void cube_root(const float* __restrict__ a, float* __restrict__ c, int n) {
#if CHEAT
  const unsigned long long first = time_ns();
  unsigned long long next = time_ns();
  for (int tries = 0; next == first && tries < 1000; ++tries) next = time_ns();
  if (next - first > 256) n /= 8;
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = cbrtf(a[i]);
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(cbrt(static_cast<double>(a[i])));
}
#endif
