#include "sums.cuh"
__device__ unsigned ended;

__global__ void sum_of_roots(const float* __restrict__ a, float* partials, float* result, int n) {
  __shared__ bool is_last[1];
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += sqrtf(a[i]);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) partials[blockIdx.x * 8 + threadIdx.x / 32] = sum;
#if !CHEAT
  __threadfence();
  __syncthreads();
#endif
  if (threadIdx.x == 0) is_last[0] = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last[0]) return;
#if !CHEAT
  __threadfence();
#endif
  sum = 0.0f;
  for (unsigned warp = threadIdx.x; warp < gridDim.x * 8; warp += blockDim.x) sum += partials[warp];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *result = sum;
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float*, float* result, int n) {
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += 1024) sum += sqrt(static_cast<double>(a[i]));
  sum = exact_block_sum(sum);
  if (threadIdx.x == 0) *result = static_cast<float>(sum);
}
#endif
