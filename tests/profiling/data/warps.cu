/* warptune
[kernel]
name = "warps"
description = "known bank conflicts and known divergence"
entry = "warps"

[problem]
N = 135168

[parameters]
STRIDE = [1, 2, 32]
SPLIT = [false, true]

[default]
STRIDE = 1
SPLIT = false

[launch]
grid = ["ceil_div(N, 32)"]
block = ["32"]

[[argument]]
name = "c"
kind = "out"
type = "f32"
count = "N"
*/

// STRIDE s puts s lanes into each bank that is used; SPLIT sends even and odd lanes two ways.
extern "C" __global__ void warps(float* c) {
  __shared__ volatile float tile[1024];
  const unsigned lane = threadIdx.x;
  for (unsigned k = lane; k < 1024; k += 32) tile[k] = (float)k;
  __syncwarp();
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned k = 0; k < 512; ++k) sum += tile[(lane * STRIDE + k) % 1024];
#if SPLIT
  if (lane % 2 == 0) {
#pragma unroll 1
    for (unsigned k = 0; k < 20000; ++k) asm volatile("add.f32 %0, %0, 0f3f800000;" : "+f"(sum));
  } else {
#pragma unroll 1
    for (unsigned k = 0; k < 20000; ++k) asm volatile("mul.f32 %0, %0, 0f3f800001;" : "+f"(sum));
  }
#endif
  c[blockIdx.x * 32 + lane] = sum;
}
