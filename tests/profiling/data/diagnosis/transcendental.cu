/* warptune
[kernel]
name = "transcendental"
description = """\
  sums of cosines of multiples of an angle; with the fault the special function unit computes each, otherwise a \
  recurrence does"""
entry = "transcendental"

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

extern "C" __global__ void transcendental(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float angle = in[i];
  float sum = 0.0f;
#if FAULT
#pragma unroll 8
  for (int k = 0; k < 512; ++k) sum += __cosf(k * angle);
#else
  const float twice = 2.0f * __cosf(angle);
  float before = 1.0f, now = 0.5f * twice;
#pragma unroll 8
  for (int k = 0; k < 512; ++k) {
    sum += before;
    const float next = fmaf(twice, now, -before);
    before = now;
    now = next;
  }
#endif
  out[i] = sum;
}
