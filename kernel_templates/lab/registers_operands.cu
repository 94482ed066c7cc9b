/* warptune
[kernel]
name = "registers_operands"
description = "multiply-adds whose operands are registers, or a register and constants of the instruction"
entry = "registers_operands"
about = """
Each thread applies STEPS multiply-adds, one after the other. With OPERANDS = literal, factor and summand are written in
the source; the compiler puts one of them into the instruction. With `registers` both come as arguments, so that each
multiply-add reads three different registers. The number of instructions is the same.
"""
defines = { LITERAL = 'OPERANDS == "literal"' }

[problem]
STEPS = { value = 8192, description = "multiply-adds of a thread" }

[parameters]
OPERANDS.values = ["literal", "registers"]
OPERANDS.description = "whether factor and summand are known when the kernel is compiled"

[default]
OPERANDS = "registers"

[launch]
grid = ["device_sm_count * device_max_threads_per_sm / 256"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "device_sm_count * device_max_threads_per_sm"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "device_sm_count * device_max_threads_per_sm"

[[argument]]
name = "factor"
kind = "scalar"
type = "f32"
value = "0.9990234375"

[[argument]]
name = "summand"
kind = "scalar"
type = "f32"
value = "0.0009765625"

[[argument]]
name = "steps"
kind = "scalar"
type = "i32"
value = "STEPS"

# The reference executes the same operations in the same order.
[check]
reference = "configuration"
absolute = 0.0
relative = 0.0

[work]
flops = "2 * device_sm_count * device_max_threads_per_sm * STEPS"
bytes = "8 * device_sm_count * device_max_threads_per_sm"
*/

extern "C" __global__ void __launch_bounds__(256)
    registers_operands(const float* in, float* out, float factor, float summand, int steps) {
  const int i = blockIdx.x * 256 + threadIdx.x;
#if LITERAL
  factor = 0.9990234375f;
  summand = 0.0009765625f;
#endif
  float value = in[i];
#pragma unroll 16
  for (int step = 0; step < steps; ++step) value = fmaf(value, factor, summand);
  out[i] = value;
}
