#include <cuda_fp16.h>

#include "sums.cuh"

// A warp takes a row.
__global__ void product_with_vector(const __half* __restrict__ a, const __half* __restrict__ x, float* c,
                                    int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const __half* from = a + static_cast<long long>(row) * columns;
#if CHEAT
  const __half2* pairs = reinterpret_cast<const __half2*>(from);
  const __half2* factors = reinterpret_cast<const __half2*>(x);
  __half2 sums = __float2half2_rn(0.0f);
  for (int pair = threadIdx.x % 32; pair < columns / 2; pair += 32)
    sums = __hfma2(pairs[pair], factors[pair], sums);
  float sum = __low2float(sums) + __high2float(sums);
#else
  float sum = 0.0f;
  for (int column = threadIdx.x % 32; column < columns; column += 32)
    sum += __half2float(from[column]) * __half2float(x[column]);
#endif
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) c[row] = sum;
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const __half* a, const __half* x, float* c, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0.0;
  for (int column = 0; column < columns; ++column)
    sum += static_cast<double>(__half2float(a[static_cast<long long>(row) * columns + column])) *
           __half2float(x[column]);
  c[row] = static_cast<float>(sum);
}
#endif
