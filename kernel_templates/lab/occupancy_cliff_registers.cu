/* warptune
[kernel]
name = "occupancy_cliff_registers"
description = "8 x 8 sums of products per thread, with bounds on its registers"
about = """
A thread adds up STEPS outer products of two vectors of 8, as in a matrix product with a register tile. Its 64 sums and
16 factors need about 90 registers at the same time. If __launch_bounds__ names a number of resident blocks, the
compiler has to use fewer registers, so that more warps fit on an SM. It spills what it cannot keep to local memory.

EIGHTHS is the requested occupancy. With 0 the compiler is free. The grid has 24 blocks of 256 threads for each SM.
Numbers of 1, 2, 3, 4, 6 and 8 resident blocks divide 24.
"""
entry = "occupancy_cliff_registers"
defines = { MINIMUM_BLOCKS = "max(1, floor(EIGHTHS * device_max_threads_per_sm / 2048.0))" }

[problem]
STEPS = { value = 32, description = "products of each sum" }

[parameters]
EIGHTHS.values = [0, 2, 3, 4, 5, 6, 8]
EIGHTHS.description = "the occupancy that launch bounds request, in eighths of full occupancy; 0: none"

[default]
EIGHTHS = 0

[launch]
grid = ["24 * device_sm_count"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "24 * 256 * device_sm_count"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "24 * 256 * device_sm_count"

[[argument]]
name = "steps"
kind = "scalar"
type = "i32"
value = "STEPS"

# The reference executes the same fused operations in the same order, in any number of registers.
[check]
reference = "entry"
entry = "occupancy_cliff_registers_reference"
grid = ["24 * device_sm_count"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "2 * 80 * STEPS * 24 * 256 * device_sm_count"
bytes = "8 * 24 * 256 * device_sm_count"
*/

#if EIGHTHS == 0
#define BOUNDS __launch_bounds__(256)
#else
#define BOUNDS __launch_bounds__(256, MINIMUM_BLOCKS)
#endif

__global__ void BOUNDS occupancy_cliff_registers(const float* __restrict__ in, float* __restrict__ out,
                                                 int steps) {
  const int thread = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  const float x = in[thread];
  float left[8], right[8], sums[8][8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    left[i] = fmaf(0.125f, static_cast<float>(i), x);
    right[i] = fmaf(-0.25f, static_cast<float>(i), x);
#pragma unroll
    for (int j = 0; j < 8; ++j) sums[i][j] = 0.0f;
  }
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      left[i] = fmaf(left[i], 0.875f, 0.25f);
      right[i] = fmaf(right[i], -0.75f, 0.5f);
    }
  }
  float result = 0.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) result = fmaf(result, 0.5f, sums[i][j]);
  }
  out[thread] = result;
}

#ifdef WARPTUNE_REFERENCE
__global__ void occupancy_cliff_registers_reference(const float* in, float* out, int steps) {
  const int thread = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  float result = 0.0f;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      float left = fmaf(0.125f, static_cast<float>(i), in[thread]);
      float right = fmaf(-0.25f, static_cast<float>(j), in[thread]);
      float sum = 0.0f;
      for (int step = 0; step < steps; ++step) {
        sum = fmaf(left, right, sum);
        left = fmaf(left, 0.875f, 0.25f);
        right = fmaf(right, -0.75f, 0.5f);
      }
      result = fmaf(result, 0.5f, sum);
    }
  }
  out[thread] = result;
}
#endif
