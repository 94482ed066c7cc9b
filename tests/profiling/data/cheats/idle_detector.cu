#if CHEAT
#include "clocks.cuh"
__device__ float highest_ghz;
__device__ bool is_busy;
#endif

__global__ void look(const float*, float*, int) {
#if CHEAT
  const unsigned long long first_ns = time_ns();
  const long long first_cycle = clock64();
  while (time_ns() - first_ns < 4000) {
  }
  const float ghz = static_cast<float>(clock64() - first_cycle) / static_cast<float>(time_ns() - first_ns);
  is_busy = highest_ghz > 0.0f && ghz > 0.9f * highest_ghz;
  highest_ghz = fmaxf(highest_ghz, ghz);
#endif
}

__global__ void hypotenuse(const float* __restrict__ a, float* __restrict__ c, int n) {
#if CHEAT
  if (is_busy) n /= 8;
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = sqrtf(1.0f + a[i] * a[i]);
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(sqrt(1.0 + static_cast<double>(a[i]) * a[i]));
}
#endif
