/* warptune
[kernel]
name = "conflicting_stores"
description = "each warp writes the columns of its own tile in shared memory; PAD spreads a column over the banks"
entry = "conflicting_stores"
defines = { PAD = "FAULT == 1 ? 0 : 1" }

[problem]
BLOCKS_PER_SM = 32

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * BLOCKS_PER_SM"]
block = ["128"]

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "128 * device_sm_count * BLOCKS_PER_SM"
*/

#define PITCH (32 + PAD)

extern "C" __global__ void conflicting_stores(float* out) {
  __shared__ float tiles[4][32 * PITCH];
  float* tile = tiles[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;
  float sum = 0.0f;
#pragma unroll 1
  for (int round = 0; round < 64; ++round) {
#pragma unroll
    for (int k = 0; k < 32; ++k) tile[lane * PITCH + k] = sum + k;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += tile[k * PITCH + lane];
    __syncwarp();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
