/* warptune
[kernel]
name = "memories_aliasing"
description = """\
  a polynomial of many numbers, whose coefficients are read through pointers that may or may not alias the output"""
about = """
A thread computes ITEMS values of the polynomial of degree 7 whose coefficients are in global memory. It stores one
value after the other. As far as the compiler knows, each store may have changed the coefficients and the next numbers.
So it has to load all of them again after the store. POINTERS is what the compiler is told about this. `plain` says
nothing. `const` says that this kernel does not write through the pointer, but nothing about other pointers. `restrict`
says that nothing else writes there while the kernel runs. `read_only` uses loads of the read-only path (`__ldg`).
`by_hand` uses local variables that the programmer fills before the first store.
"""
entry = "memories_aliasing"
defines.POINTERS_PLAIN = 'POINTERS == "plain"'
defines.POINTERS_RESTRICT = 'POINTERS == "restrict"'
defines.POINTERS_READ_ONLY = 'POINTERS == "read_only"'
defines.BY_HAND = 'POINTERS == "by_hand"'

[problem]
N = { value = 16777216, description = "numbers" }

[parameters]
POINTERS.values = ["plain", "const", "restrict", "read_only", "by_hand"]
POINTERS.description = "what the compiler is told about the inputs"
ITEMS = { values = [1, 2, 4, 8], description = "numbers per thread" }
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[default]
POINTERS = "plain"
ITEMS = 8
BLOCK = 256

[launch]
grid = ["ceil_div(N, BLOCK * ITEMS)"]
block = ["BLOCK"]

[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "coefficients"
kind = "in"
type = "f32"
count = "8"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "values"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# Each of seven fused multiply-adds rounds a number below 8 to 2^-22. 7 * 2^-22 is less than 2e-6.
[check]
reference = "entry"
entry = "memories_aliasing_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = 2e-6
relative = 0.0

[work]
flops = "14 * N"
bytes = "8 * N"
*/

constexpr int kCoefficients = 8;

#if POINTERS_PLAIN
#define INPUT_POINTER float*
#define OUTPUT_POINTER float*
#elif POINTERS_RESTRICT
#define INPUT_POINTER const float* __restrict__
#define OUTPUT_POINTER float* __restrict__
#else
#define INPUT_POINTER const float*
#define OUTPUT_POINTER float*
#endif

__device__ __forceinline__ float input(const float* address) {
#if POINTERS_READ_ONLY
  return __ldg(address);
#else
  return *address;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    memories_aliasing(INPUT_POINTER x, INPUT_POINTER coefficients, OUTPUT_POINTER values, int n) {
  const int first = blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
  if ((blockIdx.x + 1) * (BLOCK * ITEMS) > n) {
    for (int i = first; i < n; i += BLOCK) {
      float value = 0.0f;
      for (int k = kCoefficients - 1; k >= 0; --k) value = fmaf(value, x[i], coefficients[k]);
      values[i] = value;
    }
    return;
  }
#if BY_HAND
  float coefficient[kCoefficients], number[ITEMS];
#pragma unroll
  for (int k = 0; k < kCoefficients; ++k) coefficient[k] = coefficients[k];
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) number[item] = x[first + item * BLOCK];
#endif
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const int i = first + item * BLOCK;
#if BY_HAND
    float value = coefficient[kCoefficients - 1];
#pragma unroll
    for (int k = kCoefficients - 2; k >= 0; --k) value = fmaf(value, number[item], coefficient[k]);
#else
    float value = input(coefficients + kCoefficients - 1);
#pragma unroll
    for (int k = kCoefficients - 2; k >= 0; --k) value = fmaf(value, input(x + i), input(coefficients + k));
#endif
    values[i] = value;
  }
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void memories_aliasing_reference(const float* x, const float* coefficients,
                                                       float* values, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  double value = coefficients[kCoefficients - 1];
  for (int k = kCoefficients - 2; k >= 0; --k) value = value * x[i] + coefficients[k];
  values[i] = static_cast<float>(value);
}
#endif
