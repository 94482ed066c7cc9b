/* warptune
[kernel]
name = "precision_compute"
description = "a fixed number of multiply-adds, in double, float, half or bfloat16, one or two numbers per instruction"
entry = "precision_compute"
about = """
Every thread keeps sixteen numbers in registers and does STEPS multiply-adds with each. TYPE is the type of the numbers.
f64, f32, f16 and bf16 hold one number each. half2 and bf162 hold two numbers in one register, and one instruction does
two multiply-adds with them. The operations are the same for all types, so their times can be compared directly.

A step multiplies by one and adds zero. Both come as arguments, so the compiler cannot omit the step, and the result is
the same for all types. The numbers are whole and small. Every type holds them exactly, and the check allows no
difference.
"""
defines.IS_F64 = 'TYPE == "f64"'
defines.IS_F32 = 'TYPE == "f32"'
defines.IS_F16 = 'TYPE == "f16"'
defines.IS_HALF2 = 'TYPE == "half2"'
defines.IS_BF16 = 'TYPE == "bf16"'
defines.IS_BF162 = 'TYPE == "bf162"'

[problem]
STEPS = { value = 1024, description = "multiply-adds with each number, a multiple of 16" }

[parameters]
TYPE.values = ["f64", "f32", "f16", "half2", "bf16", "bf162"]
TYPE.description = "type of the numbers; half2 and bf162 are pairs"

[constraints]
list = [
  { expression = '(TYPE != "bf16" && TYPE != "bf162") || device_compute_capability >= 80', reason = """\
    bfloat16 arithmetic needs compute capability 8.0""" },
]

[default]
TYPE = "f32"

[launch]
grid = ["device_sm_count * (device_max_threads_per_sm / 256)"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "256"
init = { kind = "expression", value = "floor(8 * u)" }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "device_sm_count * (device_max_threads_per_sm / 256) * 256"

[[argument]]
name = "steps"
kind = "scalar"
type = "i32"
value = "STEPS"

[[argument]]
name = "one"
kind = "scalar"
type = "f32"
value = "1"

[[argument]]
name = "zero"
kind = "scalar"
type = "f32"
value = "0"

[check]
reference = "entry"
entry = "precision_compute_reference"
grid = ["device_sm_count * (device_max_threads_per_sm / 256)"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "2 * 16 * STEPS * 256 * device_sm_count * (device_max_threads_per_sm / 256)"
bytes = "4 * 256 * device_sm_count * (device_max_threads_per_sm / 256)"
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if IS_F64
using Number = double;
__device__ __forceinline__ Number number_of(float low, float) { return low; }
__device__ __forceinline__ float sum_of(Number x) { return static_cast<float>(x); }
__device__ __forceinline__ Number multiply_add(Number x, Number y, Number z) { return __fma_rn(x, y, z); }
#elif IS_F32
using Number = float;
__device__ __forceinline__ Number number_of(float low, float) { return low; }
__device__ __forceinline__ float sum_of(Number x) { return x; }
__device__ __forceinline__ Number multiply_add(Number x, Number y, Number z) { return __fmaf_rn(x, y, z); }
#elif IS_F16
using Number = __half;
__device__ __forceinline__ Number number_of(float low, float) { return __float2half(low); }
__device__ __forceinline__ float sum_of(Number x) { return __half2float(x); }
__device__ __forceinline__ Number multiply_add(Number x, Number y, Number z) { return __hfma(x, y, z); }
#elif IS_HALF2
using Number = __half2;
__device__ __forceinline__ Number number_of(float low, float high) { return __floats2half2_rn(low, high); }
__device__ __forceinline__ float sum_of(Number x) { return __low2float(x) + __high2float(x); }
__device__ __forceinline__ Number multiply_add(Number x, Number y, Number z) { return __hfma2(x, y, z); }
#elif IS_BF16
using Number = __nv_bfloat16;
__device__ __forceinline__ Number number_of(float low, float) { return __float2bfloat16(low); }
__device__ __forceinline__ float sum_of(Number x) { return __bfloat162float(x); }
__device__ __forceinline__ Number multiply_add(Number x, Number y, Number z) { return __hfma(x, y, z); }
#else
using Number = __nv_bfloat162;
__device__ __forceinline__ Number number_of(float low, float high) {
  return __floats2bfloat162_rn(low, high);
}
__device__ __forceinline__ float sum_of(Number x) { return __low2float(x) + __high2float(x); }
__device__ __forceinline__ Number multiply_add(Number x, Number y, Number z) { return __hfma2(x, y, z); }
#endif

constexpr int kTogether = IS_HALF2 || IS_BF162 ? 2 : 1;  // numbers in one variable
constexpr int kVariables = 16 / kTogether;

__global__ void __launch_bounds__(256)
    precision_compute(const float* in, float* out, int steps, float one, float zero) {
  const Number ones = number_of(one, one);
  const Number zeros = number_of(zero, zero);
  Number numbers[kVariables];
#pragma unroll
  for (int j = 0; j < kVariables; ++j) {
    const int place = threadIdx.x + j * kTogether;
    numbers[j] = number_of(in[place % 256], in[(place + 1) % 256]);
  }
#pragma unroll 1
  for (int step = 0; step < steps; step += 16) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
#pragma unroll
      for (int j = 0; j < kVariables; ++j) numbers[j] = multiply_add(numbers[j], ones, zeros);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < kVariables; ++j) sum += sum_of(numbers[j]);
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

#ifdef WARPTUNE_REFERENCE
__global__ void precision_compute_reference(const float* in, float* out, int, float, float) {
  float sum = 0.0f;
  for (int j = 0; j < 16; ++j) sum += in[(threadIdx.x + j) % 256];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
#endif
