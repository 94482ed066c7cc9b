#pragma once

// Half-precision elements, which kernels compute with in single precision. IS_F16 and IS_BF16 are macros of the
// definition: they say whether `dtype` is f16 or bf16, so that only the header of that type is read. Elements of any
// other type stay as they are.

#if IS_F16
#include <cuda_fp16.h>
using Widened = float;
__device__ __forceinline__ float widen(__half element) { return __half2float(element); }
__device__ __forceinline__ __half narrow(float value) { return __float2half(value); }
#elif IS_BF16
#include <cuda_bf16.h>
using Widened = float;
__device__ __forceinline__ float widen(__nv_bfloat16 element) { return __bfloat162float(element); }
__device__ __forceinline__ __nv_bfloat16 narrow(float value) { return __float2bfloat16(value); }
#else
using Widened = dtype;
template <class T>
__device__ __forceinline__ T widen(T element) {
  return element;
}
template <class T>
__device__ __forceinline__ T narrow(T value) {
  return value;
}
#endif
