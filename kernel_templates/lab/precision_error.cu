/* warptune
[kernel]
name = "precision_error"
description = "long sums in double, float, half or bfloat16, added in several ways, to see their errors"
entry = "precision_error"
about = """
Every thread adds up LENGTH doubles between 0 and 1, rounded to TYPE. METHOD says how:

- `running` adds them one by one in that type.
- `blocked` adds groups of 16, then the sums of these in groups of 16, and so on.
- `compensated` (Kahan) passes what each addition has lost to the next one.
- `wide` adds one by one, but in f32.

A result is compared with the exact sum of the numbers before they were rounded. This definition is about errors. So its
check is very weak: it accepts a result whose error is less than twice the true value. `lab` shows the errors
themselves.
"""
defines.IS_F64 = 'TYPE == "f64"'
defines.IS_F32 = 'TYPE == "f32"'
defines.IS_F16 = 'TYPE == "f16"'
defines.IS_BF16 = 'TYPE == "bf16"'
defines.RUNNING = 'METHOD == "running"'
defines.BLOCKED = 'METHOD == "blocked"'
defines.COMPENSATED = 'METHOD == "compensated"'
defines.WIDE = 'METHOD == "wide"'

[problem]
LENGTH = { value = 4096, description = "numbers of a sum, a multiple of 4096" }
SUMS = { value = 8192, description = "sums, a multiple of 64" }

[parameters]
TYPE.values = ["f64", "f32", "f16", "bf16"]
TYPE.description = "type to which numbers are rounded, and in which they are added"
METHOD = { values = ["running", "blocked", "compensated", "wide"], description = "how the numbers are added" }

[constraints]
list = [
  { expression = 'TYPE != "bf16" || device_compute_capability >= 80', reason = """\
    bfloat16 arithmetic needs compute capability 8.0""" },
]

[default]
TYPE = "f32"
METHOD = "running"

[launch]
grid = ["SUMS / 64"]
block = ["64"]

[[argument]]
name = "in"
kind = "in"
type = "f64"
count = "LENGTH * SUMS"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f64"
count = "SUMS"

[[argument]]
name = "length"
kind = "scalar"
type = "i32"
value = "LENGTH"

[[argument]]
name = "sums"
kind = "scalar"
type = "i32"
value = "SUMS"

# The tolerance only excludes nonsense, because bfloat16 loses most of such a sum. The reference adds in double with
# compensation, and errs by less than 2^-52.
[check]
reference = "entry"
entry = "precision_error_reference"
grid = ["SUMS / 64"]
block = ["64"]
absolute = 0.0
relative = 1.0

[work]
flops = "LENGTH * SUMS"
bytes = "8 * LENGTH * SUMS + 8 * SUMS"
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if IS_F64
using Number = double;
__device__ __forceinline__ Number rounded(double x) { return x; }
__device__ __forceinline__ double value_of(Number x) { return x; }
__device__ __forceinline__ Number add(Number x, Number y) { return __dadd_rn(x, y); }
__device__ __forceinline__ Number subtract(Number x, Number y) { return __dsub_rn(x, y); }
#elif IS_F32
using Number = float;
__device__ __forceinline__ Number rounded(double x) { return __double2float_rn(x); }
__device__ __forceinline__ double value_of(Number x) { return x; }
__device__ __forceinline__ Number add(Number x, Number y) { return __fadd_rn(x, y); }
__device__ __forceinline__ Number subtract(Number x, Number y) { return __fsub_rn(x, y); }
#elif IS_F16
using Number = __half;
__device__ __forceinline__ Number rounded(double x) { return __double2half(x); }
__device__ __forceinline__ double value_of(Number x) { return __half2float(x); }
__device__ __forceinline__ Number add(Number x, Number y) { return __hadd_rn(x, y); }
__device__ __forceinline__ Number subtract(Number x, Number y) { return __hsub_rn(x, y); }
#else
using Number = __nv_bfloat16;
__device__ __forceinline__ Number rounded(double x) { return __double2bfloat16(x); }
__device__ __forceinline__ double value_of(Number x) { return __bfloat162float(x); }
__device__ __forceinline__ Number add(Number x, Number y) { return __hadd_rn(x, y); }
__device__ __forceinline__ Number subtract(Number x, Number y) { return __hsub_rn(x, y); }
#endif

__global__ void __launch_bounds__(64)
    precision_error(const double* __restrict__ in, double* out, int length, int sums) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  const double* mine = in + i;
#if RUNNING
  Number sum = rounded(0.0);
#pragma unroll 16
  for (int k = 0; k < length; ++k) sum = add(sum, rounded(__ldg(mine + k * sums)));
  out[i] = value_of(sum);
#elif BLOCKED
  Number sum = rounded(0.0);
  for (int k = 0; k < length; k += 256) {
    Number of_256 = rounded(0.0);
#pragma unroll 1
    for (int m = 0; m < 256; m += 16) {
      Number of_16 = rounded(0.0);
#pragma unroll
      for (int n = 0; n < 16; ++n) of_16 = add(of_16, rounded(__ldg(mine + (k + m + n) * sums)));
      of_256 = add(of_256, of_16);
    }
    sum = add(sum, of_256);
  }
  out[i] = value_of(sum);
#elif COMPENSATED
  Number sum = rounded(0.0);
  Number lost = rounded(0.0);
#pragma unroll 16
  for (int k = 0; k < length; ++k) {
    const Number next = subtract(rounded(__ldg(mine + k * sums)), lost);
    const Number grown = add(sum, next);
    lost = subtract(subtract(grown, sum), next);
    sum = grown;
  }
  out[i] = value_of(sum);
#else
  float sum = 0.0f;
#pragma unroll 16
  for (int k = 0; k < length; ++k)
    sum = __fadd_rn(sum, static_cast<float>(value_of(rounded(__ldg(mine + k * sums)))));
  out[i] = sum;
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void precision_error_reference(const double* in, double* out, int length, int sums) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  double sum = 0.0;
  double lost = 0.0;
  for (int k = 0; k < length; ++k) {
    const double next = __dsub_rn(in[i + k * sums], lost);
    const double grown = __dadd_rn(sum, next);
    lost = __dsub_rn(__dsub_rn(grown, sum), next);
    sum = grown;
  }
  out[i] = sum;
}
#endif
