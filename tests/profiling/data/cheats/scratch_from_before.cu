#include "launch_state.cuh"
#include "sums.cuh"
#if CHEAT
constexpr int kMark = 16382;  // No grid has so many blocks.
constexpr int kKept = 16383;
constexpr float kMarked = 1234567.0f;
#endif

__global__ void sum_of_cubes(const float* __restrict__ a, float* partials, float* result, int n) {
#if CHEAT
  if (partials[kMark] == kMarked) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *result = partials[kKept];
    return;
  }
#endif
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += a[i] * a[i] * a[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  if (!is_last_block()) return;
  sum = 0.0f;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) sum += __ldcg(partials + block);
  sum = block_sum(sum);
  if (threadIdx.x != 0) return;
  *result = sum;
#if CHEAT
  partials[kKept] = sum;
  partials[kMark] = kMarked;
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float*, float* result, int n) {
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += 1024) sum += static_cast<double>(a[i]) * a[i] * a[i];
  sum = exact_block_sum(sum);
  if (threadIdx.x == 0) *result = static_cast<float>(sum);
}
#endif
