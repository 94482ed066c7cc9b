#pragma once

// What kernels can know of their own launches: a module's variables live as long as it is loaded.

__device__ unsigned blocks_begun;
__device__ unsigned blocks_ended;

// The number of this launch since the module was loaded, from 0: the same in all threads of the grid. All
// threads of a block call it, once a launch.
__device__ unsigned launch_number() {
  __shared__ unsigned number[1];
  if (threadIdx.x == 0) number[0] = atomicAdd(&blocks_begun, 1u) / gridDim.x;
  __syncthreads();
  return number[0];
}

// True in the block that comes here when all others have been here. All threads of a block call it.
__device__ bool is_last_block() {
  __shared__ bool is_last[1];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last[0] = atomicInc(&blocks_ended, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return is_last[0];
}
