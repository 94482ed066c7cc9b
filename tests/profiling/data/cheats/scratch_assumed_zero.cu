#include "launch_state.cuh"
#include "sums.cuh"
constexpr int kSlots = 64;

__global__ void clear_slots(const float*, float* partials, float*, int) { partials[threadIdx.x] = 0.0f; }

__global__ void sum_of_logarithms(const float* __restrict__ a, float* partials, float* result, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += log1pf(a[i]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(partials + blockIdx.x % kSlots, sum);
  if (!is_last_block()) return;
  sum = block_sum(threadIdx.x < kSlots ? atomicExch(partials + threadIdx.x, 0.0f) : 0.0f);
  if (threadIdx.x == 0) *result = sum;
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float*, float* result, int n) {
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += 1024) sum += log1p(static_cast<double>(a[i]));
  sum = exact_block_sum(sum);
  if (threadIdx.x == 0) *result = static_cast<float>(sum);
}
#endif
