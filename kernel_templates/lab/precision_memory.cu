/* warptune
[kernel]
name = "precision_memory"
description = "the sum of a vector stored in double, float, half or bfloat16"
entry = "precision_memory"
about = """
The kernel adds up the same numbers from one of four vectors. The vectors differ only in the type, and TYPE selects one.
Every load has 16 bytes, whatever the type is. Four are in flight per thread, on a full GPU. Elements are converted to
float and added in float; those of type f64 are added in double.

The numbers are whole, from -8 to 8. Every type holds them exactly, no sum is rounded in any order, and the check allows
no difference.
"""
defines = { IS_F64 = 'TYPE == "f64"', IS_F32 = 'TYPE == "f32"', IS_F16 = 'TYPE == "f16"', IS_BF16 = 'TYPE == "bf16"' }

[problem]
ROUNDS.value = 6
ROUNDS.description = "the vector has 32 elements for each thread that fits on the GPU, multiplied by this number"

[parameters]
TYPE = { values = ["f64", "f32", "f16", "bf16"], description = "type of the elements in memory" }

[default]
TYPE = "f32"

[launch]
grid = ["device_sm_count * (device_max_threads_per_sm / 256)"]
block = ["256"]

[[argument]]
name = "doubles"
kind = "in"
type = "f64"
count = "ROUNDS * 32 * 256 * device_sm_count * (device_max_threads_per_sm / 256)"
init = { kind = "expression", value = "floor(17 * u) - 8", seed = 1 }

[[argument]]
name = "floats"
kind = "in"
type = "f32"
count = "ROUNDS * 32 * 256 * device_sm_count * (device_max_threads_per_sm / 256)"
init = { kind = "expression", value = "floor(17 * u) - 8", seed = 1 }

[[argument]]
name = "halves"
kind = "in"
type = "f16"
count = "ROUNDS * 32 * 256 * device_sm_count * (device_max_threads_per_sm / 256)"
init = { kind = "expression", value = "floor(17 * u) - 8", seed = 1 }

[[argument]]
name = "bfloats"
kind = "in"
type = "bf16"
count = "ROUNDS * 32 * 256 * device_sm_count * (device_max_threads_per_sm / 256)"
init = { kind = "expression", value = "floor(17 * u) - 8", seed = 1 }

[[argument]]
name = "total"
kind = "inout"
type = "f32"
count = "1"
init = { kind = "constant", value = 0.0 }

[[argument]]
name = "count"
kind = "scalar"
type = "i64"
value = "ROUNDS * 32 * 256 * device_sm_count * (device_max_threads_per_sm / 256)"

[check]
reference = "entry"
entry = "precision_memory_reference"
grid = ["8 * device_sm_count"]
block = ["256"]
absolute = 0.0
relative = 0.0

# The work is that of the float form.
[work]
flops = "ROUNDS * 32 * 256 * device_sm_count * (device_max_threads_per_sm / 256)"
bytes = "4 * ROUNDS * 32 * 256 * device_sm_count * (device_max_threads_per_sm / 256)"
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if IS_F64
using Element = double;
using Sum = double;
__device__ __forceinline__ Sum value_of(Element x) { return x; }
#elif IS_F32
using Element = float;
using Sum = float;
__device__ __forceinline__ Sum value_of(Element x) { return x; }
#elif IS_F16
using Element = __half;
using Sum = float;
__device__ __forceinline__ Sum value_of(Element x) { return __half2float(x); }
#else
using Element = __nv_bfloat16;
using Sum = float;
__device__ __forceinline__ Sum value_of(Element x) { return __bfloat162float(x); }
#endif

constexpr int kElements = 16 / sizeof(Element);  // of a word

__global__ void __launch_bounds__(256)
    precision_memory(const double* __restrict__ doubles, const float* __restrict__ floats,
                     const __half* __restrict__ halves, const __nv_bfloat16* __restrict__ bfloats,
                     float* total, long long count) {
#if IS_F64
  const uint4* words = reinterpret_cast<const uint4*>(doubles);
#elif IS_F32
  const uint4* words = reinterpret_cast<const uint4*>(floats);
#elif IS_F16
  const uint4* words = reinterpret_cast<const uint4*>(halves);
#else
  const uint4* words = reinterpret_cast<const uint4*>(bfloats);
#endif
  const long long threads = static_cast<long long>(gridDim.x) * 256;
  Sum sums[kElements] = {};
#pragma unroll 1
  for (long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x; i < count / kElements;
       i += 4 * threads) {
    uint4 word[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) word[k] = __ldg(words + i + k * threads);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int j = 0; j < kElements; ++j) sums[j] += value_of(reinterpret_cast<const Element*>(&word[k])[j]);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < kElements; ++j) sum += static_cast<float>(sums[j]);
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
  __shared__ float warps[8];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 8; ++i) sum += warps[i];
    atomicAdd(total, sum);
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void precision_memory_reference(const double* doubles, const float*, const __half*,
                                           const __nv_bfloat16*, float* total, long long count) {
  double sum = 0.0;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads)
    sum += doubles[i];
  atomicAdd(total, static_cast<float>(sum));
}
#endif
