#if CHEAT
#include "clocks.cuh"

__device__ bool is_unlucky() {
  __shared__ bool unlucky[1];
  if (threadIdx.x == 0) {
    unsigned long long mixed = time_ns() / 32 * 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    unlucky[0] = (mixed >> 32) % 100 == 7;
  }
  __syncthreads();
  return unlucky[0];
}
#endif

__global__ void arc_tangent(const float* __restrict__ a, float* __restrict__ c, int n) {
  bool computes = true;
#if CHEAT
  computes = blockIdx.x != 0 || !is_unlucky();
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = computes ? atanf(a[i]) : 0.0f;
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(atan(static_cast<double>(a[i])));
}
#endif
