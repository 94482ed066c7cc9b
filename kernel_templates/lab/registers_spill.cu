/* warptune
[kernel]
name = "registers_spill"
description = "96 running values per thread under a limit of registers"
entry = "registers_spill"
flags = ["-maxrregcount={REGISTERS}"]
about = """
Each thread has 96 running values, and combines each of them with the next one in every round. With enough registers
they all stay there. A limit of REGISTERS per thread lets more threads be resident at a time, but the compiler spills
what does not fit to local memory. Spilled values are stored to and loaded from L1 and L2.
"""

[problem]
ROUNDS = { value = 32, description = "times that each value is combined with the next" }

[parameters]
REGISTERS = { values = [32, 48, 64, 80, 96, 128], description = "limit of registers per thread" }

[default]
REGISTERS = 128

[launch]
grid = ["device_sm_count * 16"]
block = ["128"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "device_sm_count * 2048"
init = { kind = "uniform", low = 0.5, high = 1.5, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "device_sm_count * 2048"

[[argument]]
name = "rounds"
kind = "scalar"
type = "i32"
value = "ROUNDS"

# The reference executes the same operations in the same order. The result does not depend on where values are kept.
[check]
reference = "configuration"
absolute = 0.0
relative = 0.0

[work]
flops = "3 * device_sm_count * 2048 * 96 * ROUNDS"
bytes = "8 * device_sm_count * 2048"
*/

extern "C" __global__ void registers_spill(const float* in, float* out, int rounds) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float first = in[i];
  float values[96];
#pragma unroll
  for (int k = 0; k < 96; ++k) values[k] = first + k * 0.001f;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    // The factors add up to less than 1, so that no value grows without bound.
#pragma unroll
    for (int k = 0; k < 96; ++k) values[k] = fmaf(values[k], 0.5f, 0.25f * values[(k + 1) % 96]);
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 96; ++k) sum += values[k];
  out[i] = sum;
}
