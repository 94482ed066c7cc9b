/* warptune
[kernel]
name = "double_precision"
description = "a polynomial of single-precision data; with the fault in double precision"
entry = "double_precision"

[problem]
BLOCKS_PER_SM = 64

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * BLOCKS_PER_SM"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "256 * device_sm_count * BLOCKS_PER_SM"
init = { kind = "uniform", low = 0.5, high = 1.5, seed = 7 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "256 * device_sm_count * BLOCKS_PER_SM"
*/

#if FAULT
typedef double real;
#else
typedef float real;
#endif

extern "C" __global__ void double_precision(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const real x = in[i];
  real a = 0, b = 1, c = 2, d = 3;
#pragma unroll 8
  for (int k = 0; k < 256; ++k) {
    a = a * x + (real)0.001;
    b = b * x + (real)0.002;
    c = c * x + (real)0.003;
    d = d * x + (real)0.004;
  }
  out[i] = a + b + c + d;
}
