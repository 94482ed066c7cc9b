#pragma once

// The sum of the lanes' values, in lane 0.
__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}

// The sum of the values of all threads of a block of 256, in thread 0.
__device__ float block_sum(float value) {
  __shared__ float of_warps[8];
  value = warp_sum(value);
  __syncthreads();  // What an earlier call left has been read.
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < 8; ++warp) value += of_warps[warp];
  }
  return value;
}

#ifdef WARPTUNE_REFERENCE
// The sum of the values of all threads of a block of 1024, in thread 0.
__device__ double exact_block_sum(double value) {
  __shared__ double of_threads[1024];
  of_threads[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int thread = 1; thread < 1024; ++thread) value += of_threads[thread];
  }
  return value;
}
#endif
