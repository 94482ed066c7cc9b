#pragma once

// Replaces CUDA's header of this name when kernels are compiled for the host.

#include <cmath>
#include <cstdint>
#include <cstring>

/// The upper half of an IEEE 754 binary32, rounded to nearest even.
struct __nv_bfloat16 {
  std::uint16_t bits;

  __nv_bfloat16() = default;
  __nv_bfloat16(float value) : bits(encode(value)) {}
  operator float() const {
    const std::uint32_t whole = static_cast<std::uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &whole, sizeof(value));
    return value;
  }

  static std::uint16_t encode(float value) {
    if (std::isnan(value)) return 0x7fff;
    std::uint32_t whole;
    std::memcpy(&whole, &value, sizeof(whole));
    whole += 0x7fff + (whole >> 16 & 1);  // half a unit, reduced so that ties go to even
    return static_cast<std::uint16_t>(whole >> 16);
  }
};

inline float __bfloat162float(__nv_bfloat16 value) { return value; }
inline __nv_bfloat16 __float2bfloat16(float value) { return __nv_bfloat16(value); }
inline __nv_bfloat16 operator+(__nv_bfloat16 left, __nv_bfloat16 right) {
  return __nv_bfloat16(float(left) + float(right));
}
inline __nv_bfloat16 operator*(__nv_bfloat16 left, __nv_bfloat16 right) {
  return __nv_bfloat16(float(left) * float(right));
}
