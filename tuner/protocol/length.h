#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The protocol writes a length as 8 bytes, the lowest byte first.
namespace warptune::tuner::protocol {

inline constexpr std::size_t kLengthBytes = 8;

/// The length in the `kLengthBytes` bytes that begin at `bytes`.
inline std::uint64_t length_in(const char* bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

inline std::array<char, kLengthBytes> length_as_bytes(std::uint64_t length) {
  std::array<char, kLengthBytes> bytes{};
  for (std::size_t i = 0; i < kLengthBytes; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xFFU);
  return bytes;
}

}  // namespace warptune::tuner::protocol
