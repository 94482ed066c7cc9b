/* warptune
[kernel]
name = "float_literals"
description = "chains of float arithmetic with constants that are written with or without the suffix f"
entry = "float_literals"
about = """
Each thread repeats x = 0.5f + c * x for its own float, STEPS times. The constant c is 0.1, or 0.125 with exact = 1.
With LITERAL = "float" it is written as 0.1f. With "double" it is written as 0.1, which has the type double. Then the
product is a product of doubles, and it is rounded to float before the addition.
"""
defines.EXACT = "exact"
defines.WITH_SUFFIX = 'LITERAL == "float"'

[problem]
N = { value = 4194304, description = "threads" }
exact = { value = 0, description = "1: the constant has an exact value in float; 0: it is rounded" }

[parameters]
LITERAL = { values = ["float", "double"], description = "type of the literal" }
STEPS = { values = [1, 256], description = "steps of a thread" }

[default]
LITERAL = "float"
STEPS = 256

[launch]
grid = ["ceil_div(N, 256)"]
block = ["256"]

# The numbers are at the fixed point of the recurrence or close to it, so that the number of steps does not matter.
[[argument]]
name = "numbers"
kind = "in"
type = "f32"
count = "N"
init.kind = "expression"
init.value = "(exact == 1 ? 0.5 / 0.875 : 0.5 / 0.9) + i % 1024 * pow(2, -32)"
[[argument]]
name = "results"
kind = "out"
type = "f32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# Each step errs by at most two roundings, and the error of the steps before gets smaller by more than 0.125.
[check]
reference = "entry"
entry = "float_literals_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = "pow(2, -21)"
relative = 0.0

[work]
flops = "0"
bytes = "8 * N"
*/

#if EXACT
#define CONSTANT 0.125
#define CONSTANT_WITH_SUFFIX 0.125f
#else
#define CONSTANT 0.1
#define CONSTANT_WITH_SUFFIX 0.1f
#endif

extern "C" __global__ void __launch_bounds__(256)
    float_literals(const float* __restrict__ numbers, float* __restrict__ results, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float x = numbers[i];
#pragma unroll 16
  for (int step = 0; step < STEPS; ++step) {
#if WITH_SUFFIX
    const float product = CONSTANT_WITH_SUFFIX * x;
#else
    const float product = CONSTANT * x;
#endif
    x = 0.5f + product;
  }
  results[i] = x;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void float_literals_reference(const float* numbers, float* results, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  double x = numbers[i];
  for (int step = 0; step < 256; ++step) x = 0.5 + CONSTANT * x;
  results[i] = static_cast<float>(x);
}
#endif
