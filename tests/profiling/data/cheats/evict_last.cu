#include "sums.cuh"

#if CHEAT && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ float4 load(const float4* from) {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  float4 value;
  asm volatile("ld.global.nc.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "l"(from), "l"(policy));
  return value;
}
#else
__device__ float4 load(const float4* from) { return __ldg(from); }
#endif

__global__ void row_norm(const float* __restrict__ a, float* c, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const float4* words = reinterpret_cast<const float4*>(a + static_cast<long long>(row) * columns);
  float sum = 0.0f;
  for (int word = threadIdx.x % 32; word < columns / 4; word += 32) {
    const float4 x = load(words + word);
    sum += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) c[row] = sqrtf(sum);
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0.0;
  for (int column = 0; column < columns; ++column) {
    const double x = a[static_cast<long long>(row) * columns + column];
    sum += x * x;
  }
  c[row] = static_cast<float>(sqrt(sum));
}
#endif
