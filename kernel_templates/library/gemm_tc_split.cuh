#pragma once

// For products whose K is shared by SPLIT_K blocks. Each block writes its sums in single precision, and a second kernel
// adds them. All parts have the same number of steps along K. What lies behind K is zero.

#include "gemm_tc_epilogue.cuh"

// The steps along K of each part.
__device__ __forceinline__ int steps_of_part(long long k) {
  const long long steps = (k + BLOCK_K - 1) / BLOCK_K;
  return static_cast<int>((steps + SPLIT_K - 1) / SPLIT_K);
}

#if SPLIT_K > 1
// The pairs of sums in a row of C.
__device__ __forceinline__ long long pairs_of_row(long long n) { return (n + 1) / 2; }

// Two neighbours among the sums of a part. A predicate instead of a branch, as in store_if().
__device__ __forceinline__ void store_sums_if(float2* to, float low, float high, bool exist) {
#ifdef __CUDA_ARCH__
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p st.global.v2.f32 [%0], {%1, %2}; }" ::"l"(to),
               "f"(low), "f"(high), "r"(static_cast<int>(exist))
               : "memory");
#else
  if (exist) *to = {low, high};
#endif
}

// The sums of part number `part`, from the pair on that is at (row, column) of C.
__device__ __forceinline__ float2* sums_of_part(float* partials, int part, long long m, long long n,
                                                long long row, long long column) {
  return reinterpret_cast<float2*>(partials) + (part * m + row) * pairs_of_row(n) + column / 2;
}
#endif

// Adds the parts. Several threads share an element, each with its own parts, so that few elements take no longer.
__global__ void __launch_bounds__(256)
    gemm_tc_add_parts(const dtype* __restrict__, const dtype* __restrict__,
                      [[maybe_unused]] dtype* __restrict__ c, const TensorMap, const TensorMap,
                      const TensorMap, [[maybe_unused]] long long m, [[maybe_unused]] long long n, long long,
                      [[maybe_unused]] float alpha, [[maybe_unused]] float beta, const dtype* __restrict__,
                      const dtype* __restrict__, const TensorMap, const TensorMap,
                      [[maybe_unused]] const float* __restrict__ partials) {
#if SPLIT_K > 1
  constexpr int sharers = SPLIT_K < 8 ? SPLIT_K : 8;
  constexpr int at_once = 256 / sharers;  // pairs of a block
  __shared__ float2 shared_sums[256];
  const int thread = static_cast<int>(threadIdx.x);
  const long long row_pairs = pairs_of_row(n);
  const long long pairs = m * row_pairs;
  const bool by_pairs = pairs_are_aligned(c, n);
  for (long long first = static_cast<long long>(blockIdx.x) * at_once; first < pairs;
       first += static_cast<long long>(gridDim.x) * at_once) {
    const long long at = first + thread % at_once;
    float2 sum = {0.0f, 0.0f};
    if (at < pairs) {
#pragma unroll
      for (int i = 0; i < SPLIT_K / sharers; ++i) {
        const int part = thread / at_once + i * sharers;
        const float2 item = __ldcs(reinterpret_cast<const float2*>(partials) + part * pairs + at);
        sum.x += item.x, sum.y += item.y;
      }
    }
    shared_sums[thread] = sum;
    __syncthreads();
    if (thread < at_once && at < pairs) {
#pragma unroll
      for (int i = 1; i < sharers; ++i) {
        sum.x += shared_sums[i * at_once + thread].x, sum.y += shared_sums[i * at_once + thread].y;
      }
      const long long row = at / row_pairs;
      const long long column = (at - row * row_pairs) * 2;
      dtype* to = c + row * n + column;
      if (by_pairs) {
        write_pair(to, alpha * sum.x, alpha * sum.y, beta);
      } else {
        write_element(to, alpha * sum.x, beta);
        if (column + 1 < n) write_element(to + 1, alpha * sum.y, beta);
      }
    }
    __syncthreads();
  }
#endif
}
