#pragma once

// Replaces CUDA's header of this name when kernels are compiled for the host.

#include <cmath>
#include <cstdint>
#include <cstring>

/// IEEE 754 binary16, rounded to nearest even.
struct __half {
  std::uint16_t bits;

  __half() = default;
  __half(float value) : bits(encode(value)) {}
  operator float() const { return decode(bits); }

  static float decode(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const float fraction = static_cast<float>(bits & 1023);
    float magnitude;
    if (exponent == 0) {
      magnitude = std::ldexp(fraction, -24);
    } else if (exponent == 31) {
      magnitude = fraction == 0 ? HUGE_VALF : NAN;
    } else {
      magnitude = std::ldexp(fraction + 1024.0f, exponent - 25);
    }
    return bits & 0x8000 ? -magnitude : magnitude;
  }

  static std::uint16_t encode(float value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const float magnitude = std::fabs(value);
    if (std::isnan(value)) return 0x7fff;
    if (magnitude == 0.0f) return sign;
    if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00);
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude = f 2^exponent, f in [0.5, 1)
    const int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    const int steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -unit)));  // up to 2048
    const int code =
        unit == -24 ? steps : steps + (unit + 24) * 1024;  // a carry moves into the exponent by itself
    return static_cast<std::uint16_t>(sign | code);
  }
};

inline float __half2float(__half value) { return value; }
inline __half __float2half(float value) { return __half(value); }
inline __half operator+(__half left, __half right) { return __half(float(left) + float(right)); }
inline __half operator*(__half left, __half right) { return __half(float(left) * float(right)); }
