#include "sums.cuh"
__device__ unsigned ended[2];
__device__ unsigned phase;  // Changed by the last block, when all others have read it.

__global__ void absolute_sum(const float* __restrict__ a, float* partials, float* result, int n) {
  __shared__ bool is_last[1];
  const unsigned now = phase;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += fabsf(a[i]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();
    is_last[0] = atomicAdd(&ended[now], 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last[0]) return;
  __threadfence();
  sum = 0.0f;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) sum += __ldcg(partials + block);
  sum = block_sum(sum);
  if (threadIdx.x != 0) return;
  *result = sum;
#if !CHEAT
  ended[1 - now] = 0;
#endif
  phase = 1 - now;
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float*, float* result, int n) {
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += 1024) sum += fabs(static_cast<double>(a[i]));
  sum = exact_block_sum(sum);
  if (threadIdx.x == 0) *result = static_cast<float>(sum);
}
#endif
