/* warptune
[kernel]
name = "barrier"
description = "each warp in turn, or all of them at once, computes what the block then adds up"
entry = "barrier"

[problem]
BLOCKS_PER_SM = 32

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * BLOCKS_PER_SM"]
block = ["1024"]

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "1024 * device_sm_count * BLOCKS_PER_SM"
*/

extern "C" __global__ void barrier(float* out) {
  __shared__ float parts[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = threadIdx.x * 0.001f;
#pragma unroll 1
  for (int round = 0; round < 32; ++round) {
#if FAULT
    if (warp == round) {
#else
    if (round == 0) {
#endif
      float a = sum, b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
#pragma unroll 8
      for (int k = 0; k < 256; ++k) {
        a = fmaf(a, 0.999f, 0.001f);
        b = fmaf(b, 0.999f, 0.001f);
        c = fmaf(c, 0.999f, 0.001f);
        d = fmaf(d, 0.999f, 0.001f);
      }
      sum += a + b + c + d;
    }
#if FAULT
    __syncthreads();
#endif
  }
  if (lane == 0) parts[warp] = sum;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + parts[lane];
}
