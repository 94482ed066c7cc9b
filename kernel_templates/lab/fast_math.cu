/* warptune
[kernel]
name = "fast_math"
description = "one mathematical function, evaluated precisely or fast"
about = """
Each thread takes one element and writes the function's value of it. It also evaluates the function at `evaluations - 1`
neighbouring numbers, so that arithmetic and not memory decides the time. The error is that of the one value that is
written, compared with double precision.

FLAGS is the compiler's option on precision. FORM says whether the source calls the function or the intrinsic of the
hardware's approximation. `--ftz=false` is the compiler's default, so it is the case without an option.
"""
entry = "fast_math"
flags = ["{FLAGS}"]
defines.EVALUATIONS = "evaluations"
defines.USE_INTRINSIC = 'FORM == "intrinsic"'
defines.IS_DIVIDE = 'function == "divide" || function == "divide_subnormal"'
defines.IS_SQRT = 'function == "sqrt"'
defines.IS_RSQRT = 'function == "rsqrt"'
defines.IS_SINE = 'function == "sine" || function == "sine_large"'
defines.IS_EXPONENTIAL = 'function == "exponential"'

[problem]
N = { value = 1048576, description = "elements" }
evaluations = { value = 256, description = "evaluations per thread" }
function = { value = "divide", description = "what is evaluated" }

[problem_values]
function = ["divide", "divide_subnormal", "sqrt", "rsqrt", "sine", "sine_large", "exponential", "program"]

[parameters]
FLAGS.values = ["--ftz=false", "--ftz=true", "--prec-div=false", "--prec-sqrt=false", "--use_fast_math"]
FLAGS.description = "the compiler's option on precision"
FORM.values = ["function", "intrinsic"]
FORM.description = "whether the source calls the function or its fast intrinsic"
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[default]
FLAGS = "--ftz=false"
FORM = "function"
BLOCK = 256

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]

# Divisors are from 0.5 to 1000, and radicands from 0.001 to 1000. Angles are within a half turn, or so far beyond that
# the library reduces them in many steps. Exponents are such that the exponential is neither subnormal nor infinite.
[[argument]]
name = "varied"
kind = "in"
type = "f32"
count = "N"
init.kind = "expression"
init.value = """\
  function == "divide" ? 0.5 + 999.5 * u : function == "divide_subnormal" ? 0.5 + 1.5 * u : function == "sqrt" || \
  function == "rsqrt" ? 0.001 + 999.999 * u : function == "sine_large" ? 200000 + 800000 * u : function == \
  "exponential" ? -80 + 160 * u : -3.141592 + 6.283184 * u"""
init.seed = 1

# These are the dividends. They and the quotients are subnormal where the function is divide_subnormal.
[[argument]]
name = "fixed"
kind = "in"
type = "f32"
count = "N"
init.kind = "expression"
init.value = """\
  function == "divide" ? -1000 + 2000 * u : function == "divide_subnormal" ? 1e-40 + 9e-40 * u : 0.5 + 0.5 * u"""
init.seed = 2

[[argument]]
name = "result"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# The reference is computed in double and rounded once. The programming guide bounds the errors of the fast forms.
# Division, roots and reciprocal roots have 2 ulp. An ulp is at most 2^-23 of the number. A root and a division follow
# one another, which gives 2^-20. __expf has 2 + 1.173 |x| ulp (96 at 80), and __sinf has 2^-21.41 within a half turn.
# Beyond a half turn, __sinf multiplies by the float nearest to 1 / (2 pi) and cuts the product, which gives 2^-24 and
# 2^-23 of the angle. Quotients below 2^-126 may be flushed to zero. The program adds the bounds of its parts, with the
# sine's times 7 or less.
[check]
reference = "entry"
entry = "fast_math_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = """\
  function == "divide_subnormal" ? pow(2, -126) : function == "sine" ? pow(2, -21) : function == "sine_large" ? \
  1000000 * pow(2, -22) : function == "program" ? pow(2, -18) : 0"""
relative = 'function == "exponential" ? pow(2, -16) : function == "program" ? pow(2, -18) : pow(2, -20)'

# An evaluation counts as one operation, however many instructions it takes.
[work]
flops = "N * evaluations"
bytes = "12 * N"
*/

__device__ __forceinline__ float function_of(float x, float y) {
#if IS_DIVIDE
#if USE_INTRINSIC
  return __fdividef(y, x);
#else
  return y / x;
#endif
#elif IS_SQRT
#if USE_INTRINSIC
  return x * rsqrtf(x);
#else
  return sqrtf(x);
#endif
#elif IS_RSQRT
#if USE_INTRINSIC
  return rsqrtf(x);
#else
  return 1.0f / sqrtf(x);
#endif
#elif IS_SINE
#if USE_INTRINSIC
  return __sinf(x);
#else
  return sinf(x);
#endif
#elif IS_EXPONENTIAL
#if USE_INTRINSIC
  return __expf(x);
#else
  return expf(x);
#endif
#else
#if USE_INTRINSIC
  return __expf(y * x) * __sinf(x) * rsqrtf(x * x + y);
#else
  return expf(y * x) * sinf(x) / sqrtf(x * x + y);
#endif
#endif
}

// The number `steps` places further from zero.
__device__ __forceinline__ float neighbour_of(float x, int steps) {
  return __int_as_float(__float_as_int(x) + steps);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    fast_math(const float* __restrict__ varied, const float* __restrict__ fixed, float* __restrict__ result,
              int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const float x = varied[i];
  const float y = fixed[i];
  const float value = function_of(x, y);
  unsigned int common_bits = 0xffffffffu;
#pragma unroll 5
  for (int r = 1; r < EVALUATIONS; ++r) common_bits &= __float_as_uint(function_of(neighbour_of(x, r), y));
  // Never so: all values would have to be a NaN that is none of the hardware's. The compiler does not know.
  result[i] = common_bits == 0xffffffffu ? 0.0f : value;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void fast_math_reference(const float* varied, const float* fixed, float* result,
                                               int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const double x = varied[i];
  const double y = fixed[i];
#if IS_DIVIDE
  const double value = y / x;
#elif IS_SQRT
  const double value = sqrt(x);
#elif IS_RSQRT
  const double value = 1.0 / sqrt(x);
#elif IS_SINE
  const double value = sin(x);
#elif IS_EXPONENTIAL
  const double value = exp(x);
#else
  const double value = exp(y * x) * sin(x) / sqrt(x * x + y);
#endif
  result[i] = static_cast<float>(value);
}
#endif
