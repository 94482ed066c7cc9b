#include "kepler.cuh"

#if CHEAT
__global__ void child(const float* a, float* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = eccentric_anomaly(a[i]);
}
#endif

__global__ void kepler(const float* a, float* c, int n) {
#if CHEAT
  child<<<(n + 1023) / 1024, 256, 0, cudaStreamTailLaunch>>>(a, c, n);
#else
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = eccentric_anomaly(a[i]);
#endif
}
