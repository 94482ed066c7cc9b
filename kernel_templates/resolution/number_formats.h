#pragma once

#include <cstdint>

namespace warptune::kernel_templates::resolution {

/// Conversions between float and the bits of IEEE 754 binary16 or bfloat16. Conversions to the narrow types
/// round to nearest, ties to even.
std::uint16_t to_f16_bits(float value);
float from_f16_bits(std::uint16_t bits);
std::uint16_t to_bf16_bits(float value);
float from_bf16_bits(std::uint16_t bits);

}  // namespace warptune::kernel_templates::resolution
