#pragma once

namespace warptune::profiling::driver {

/// The common beginning of the helper kernels' programs: short types, elements as doubles, and a loop over
/// all elements. It decodes 16-bit types from their bits, so that no CUDA header is needed at run time.
inline constexpr const char* kDeviceBasics = R"cuda(
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

// base::split_mix64.
__device__ u64 split_mix64(u64 x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// Element `i` of what was masked with `key`: each word of 8 bytes is covered by its own part of a keystream.
template <class T>
__device__ T unmasked(const T* data, u64 key, u64 i) {
  const u64 byte = i * sizeof(T);
  const u64 word = reinterpret_cast<const u64*>(data)[byte / 8] ^ split_mix64(key + byte / 8);
  const u64 low = word >> (byte % 8 * 8);
  return *reinterpret_cast<const T*>(&low);
}

__device__ double decode_f16(u16 half) {
  const u32 sign = (u32)(half & 0x8000u) << 16;
  const u32 exponent = (half >> 10) & 31u;
  const u32 fraction = half & 1023u;
  if (exponent == 0) {
    const float value = (float)fraction * 5.9604644775390625e-8f;
    return sign ? -value : value;
  }
  const u32 rebiased = exponent == 31 ? 255u : exponent + 112u;
  return __uint_as_float(sign | (rebiased << 23) | (fraction << 13));
}
__device__ double decode_bf16(u16 bits) { return __uint_as_float((u32)bits << 16); }
__device__ double decode_f32(float value) { return value; }
__device__ double decode_f64(double value) { return value; }

#define GRID_STRIDE(i, count)                                                          \
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < (count); i += (u64)gridDim.x * blockDim.x)
)cuda";

}  // namespace warptune::profiling::driver
