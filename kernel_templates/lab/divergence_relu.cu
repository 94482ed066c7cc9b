/* warptune
[kernel]
name = "divergence_relu"
description = "out = in where in is positive, else 0"
about = """
Rectifies random numbers, half of which are negative, in five forms: `fmaxf`, a conditional expression, an `if` that
assigns, a multiplication by the comparison's 0 or 1, and an `if` whose two sides each store. None of them needs a jump.
The compiler makes a maximum, a selection or a product of each, even of the form with two stores.
"""
entry = "divergence_relu"
defines.USE_FMAXF = 'FORM == "fmaxf"'
defines.USE_TERNARY = 'FORM == "ternary"'
defines.USE_IF = 'FORM == "if"'
defines.USE_MULTIPLY = 'FORM == "multiply"'

[problem]
N = { value = 33554432, description = "elements, a multiple of 2048" }

[parameters]
FORM = { values = ["fmaxf", "ternary", "if", "multiply", "two_stores"], description = "how it is written" }
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[default]
FORM = "fmaxf"
BLOCK = 256

[launch]
grid = ["N / (4 * BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

# Nothing is rounded.
[check]
reference = "expression"
expression = "in[i] > 0.0f ? in[i] : 0.0f"
absolute = 0.0
relative = 0.0

[work]
flops = "N"
bytes = "8 * N"
*/

__device__ __forceinline__ void rectify(float x, float* out) {
#if USE_FMAXF
  *out = fmaxf(x, 0.0f);
#elif USE_TERNARY
  *out = x > 0.0f ? x : 0.0f;
#elif USE_IF
  float y = x;
  if (x < 0.0f) {
    y = 0.0f;
  }
  *out = y;
#elif USE_MULTIPLY
  *out = x * static_cast<float>(x > 0.0f);
#else
  if (x > 0.0f) {
    *out = x;
  } else {
    *out = 0.0f;
  }
#endif
}

// Four elements a thread, so that device memory is kept busy.
__global__ void __launch_bounds__(BLOCK)
    divergence_relu(const float* __restrict__ in, float* __restrict__ out) {
  const int first = static_cast<int>(blockIdx.x * (4 * BLOCK) + threadIdx.x);
  float x[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) x[k] = in[first + k * BLOCK];
#pragma unroll
  for (int k = 0; k < 4; ++k) rectify(x[k], out + first + k * BLOCK);
}
