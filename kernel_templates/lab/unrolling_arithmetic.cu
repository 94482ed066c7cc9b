/* warptune
[kernel]
name = "unrolling_arithmetic"
description = "a loop around a few multiply-adds, unrolled or not"
entry = "unrolling_arithmetic"
about = """
Each thread applies STEPS multiply-adds to a number, one after the other, in a loop whose body has BODY of these
operations. The number of rounds is not known when the kernel is compiled. The loop is unrolled UNROLL times by `#pragma
unroll` (FORM = pragma), written out by hand, or left to the compiler (FORM = none). All forms compute the same bits.
"""
defines = { BY_PRAGMA = 'FORM == "pragma"', BY_HAND = 'FORM == "hand"' }

[problem]
STEPS = { value = 4096, description = "multiply-adds of a thread" }

[parameters]
FORM.values = ["none", "pragma", "hand"]
FORM.description = "who unrolls the loop: none = the compiler decides, pragma = a pragma, hand = it is written out"
UNROLL.values = [1, 2, 4, 8, 16, 32]
UNROLL.when = 'FORM != "none"'
UNROLL.otherwise = 1
UNROLL.description = "rounds of the loop that are combined into one"
BODY = { values = [1, 16], description = "multiply-adds in the loop's body" }

[constraints]
list = [
  { expression = 'FORM != "hand" || (UNROLL == 4 || UNROLL == 8) && BODY == 1', reason = """\
    only so many rounds are written out by hand""" },
]

[default]
FORM = "none"
UNROLL = 1
BODY = 1

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
name = "scale"
kind = "scalar"
type = "f32"
value = "0.999"

[[argument]]
name = "steps"
kind = "scalar"
type = "i32"
value = "STEPS"

# The reference executes the same operations in the same order.
[check]
reference = "entry"
entry = "unrolling_arithmetic_reference"
grid = ["device_sm_count * device_max_threads_per_sm / 256"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "2 * device_sm_count * device_max_threads_per_sm * STEPS"
bytes = "8 * device_sm_count * device_max_threads_per_sm"
*/

// Of the three operands one is a constant of the instruction: three registers would take it two cycles.
__device__ __forceinline__ float step(float value, float scale) { return fmaf(value, scale, 0.001f); }

__device__ __forceinline__ float body(float value, float scale) {
#pragma unroll
  for (int k = 0; k < BODY; ++k) value = step(value, scale);
  return value;
}

extern "C" __global__ void __launch_bounds__(256)
    unrolling_arithmetic(const float* in, float* out, float scale, int steps) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int rounds = steps / BODY;
  float value = in[i];
#if BY_HAND
  int round = 0;
#pragma unroll 1
  for (; round + UNROLL <= rounds; round += UNROLL) {
    value = step(value, scale);
    value = step(value, scale);
    value = step(value, scale);
    value = step(value, scale);
#if UNROLL == 8
    value = step(value, scale);
    value = step(value, scale);
    value = step(value, scale);
    value = step(value, scale);
#endif
  }
#pragma unroll 1
  for (; round < rounds; ++round) value = step(value, scale);
#else
#if BY_PRAGMA
#pragma unroll UNROLL
#endif
  for (int round = 0; round < rounds; ++round) value = body(value, scale);
#endif
  out[i] = value;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void unrolling_arithmetic_reference(const float* in, float* out, float scale,
                                                          int steps) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float value = in[i];
  for (int round = 0; round < steps; ++round) value = step(value, scale);
  out[i] = value;
}
#endif
