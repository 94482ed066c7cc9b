/* warptune
[kernel]
name = "tail"
description = "multiply-adds in blocks of half an SM; with the fault a sixteenth of them is left for a second wave"
entry = "tail"
defines = { STEPS = "FAULT == 1 ? STEPS_OF_ALL * 16 / 17 : STEPS_OF_ALL" }

[problem]
STEPS_OF_ALL = 8704

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * 2 + (FAULT == 1 ? device_sm_count / 8 : 0)"]
block = ["device_max_threads_per_sm / 2 > 1024 ? 1024 : device_max_threads_per_sm / 2"]

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "device_sm_count * 3 * 1024"
*/

extern "C" __global__ void tail(float* out) {
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
