/* warptune
[kernel]
name = "small_grid"
description = "multiply-adds; with the fault half of the SMs get no block"
entry = "small_grid"
defines = { STEPS = "FAULT == 1 ? STEPS_OF_ALL * 8 : STEPS_OF_ALL" }

[problem]
STEPS_OF_ALL = 4096

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["FAULT == 1 ? device_sm_count / 2 : device_sm_count * 4"]
block = ["256"]

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "device_sm_count * 4 * 256"
*/

extern "C" __global__ void small_grid(float* out) {
  float a = threadIdx.x * 0.001f, b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
#pragma unroll 4
  for (int k = 0; k < STEPS; ++k) {
    a = fmaf(a, 0.999f, 0.001f);
    b = fmaf(b, 0.999f, 0.001f);
    c = fmaf(c, 0.999f, 0.001f);
    d = fmaf(d, 0.999f, 0.001f);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}
