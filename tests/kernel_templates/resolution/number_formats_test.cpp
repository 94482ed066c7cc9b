#include "kernel_templates/resolution/number_formats.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace warptune::kernel_templates::resolution {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Known {
  float value;
  std::uint32_t bits;
};

TEST(HalfPrecision, HasTheBitsOfIeee754) {
  const Known table[] = {
      {0.0F, 0x0000},         {-0.0F, 0x8000},       {1.0F, 0x3C00},
      {-2.0F, 0xC000},        {0x1.554p-2F, 0x3555},                      // Nearest to 1/3.
      {1.0F / 3.0F, 0x3555},  {65504.0F, 0x7BFF},    {0x1p-14F, 0x0400},  // The smallest normal number.
      {0x1.ff8p-15F, 0x03FF},                                             // The largest subnormal number.
      {0x1p-24F, 0x0001},     {kInfinity, 0x7C00},   {-kInfinity, 0xFC00}};
  for (const Known& known : table) EXPECT_EQ(resolution::to_f16_bits(known.value), known.bits) << known.value;
}

TEST(HalfPrecision, RoundsTiesToEvenAndToInfinityPastTheLargest) {
  const Known table[] = {
      {2049.0F, 0x6800},                                  // Between 2048 and 2050.
      {2051.0F, 0x6802},                                  // Between 2050 and 2052.
      {2049.001F, 0x6801},       {0x1p-25F, 0x0000},      // Between 0 and the smallest subnormal number.
      {0x1.8p-24F, 0x0002},                               // Between the two smallest subnormal numbers.
      {0x1.000002p-25F, 0x0001}, {0x1.ffcp-15F, 0x0400},  // Up from the largest subnormal number.
      {1.99999F, 0x4000},                                 // A carry into the exponent.
      {65519.0F, 0x7BFF},        {65520.0F, 0x7C00},     {-65520.0F, 0xFC00}, {0x1p-140F, 0x0000}};
  for (const Known& known : table) EXPECT_EQ(resolution::to_f16_bits(known.value), known.bits) << known.value;
}

TEST(HalfPrecision, SurvivesTheWayThroughFloatInEveryBitPattern) {
  for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
    const float value = resolution::from_f16_bits(static_cast<std::uint16_t>(pattern));
    const bool nan = (pattern & 0x7C00U) == 0x7C00U && (pattern & 0x3FFU) != 0;
    ASSERT_EQ(std::isnan(value), nan) << pattern;
    if (!nan) {
      ASSERT_EQ(resolution::to_f16_bits(value), pattern) << value;
    }
  }
}

TEST(HalfPrecision, KeepsNansAndTheirSign) {
  for (const float nan : {kNan, -kNan}) {
    const std::uint32_t bits = resolution::to_f16_bits(nan);
    EXPECT_EQ(bits & 0x7C00U, 0x7C00U);
    EXPECT_NE(bits & 0x03FFU, 0U);
    EXPECT_EQ((bits & 0x8000U) != 0, std::signbit(nan));
  }
}

// The nearer of the two neighbours, ties to the even one, by exact arithmetic in double.
RC_GTEST_PROP(HalfPrecision, IsTheNearestHalf, ()) {
  const auto bits = *rc::gen::inRange<std::uint32_t>(0, 0x477FE000U);  // 0 to 65504.
  const float value = std::bit_cast<float>(bits);
  const std::uint16_t half = resolution::to_f16_bits(value);
  const auto distance = [&](int pattern) {
    return std::fabs(static_cast<double>(resolution::from_f16_bits(static_cast<std::uint16_t>(pattern))) -
                     static_cast<double>(value));
  };
  const double own = distance(half);
  if (half > 0) RC_ASSERT(own < distance(half - 1) || (own <= distance(half - 1) && half % 2 == 0));
  RC_ASSERT(own < distance(half + 1) || (own <= distance(half + 1) && half % 2 == 0));
}

TEST(Bfloat, HasTheUpperHalfOfTheFloat) {
  const Known table[] = {{0.0F, 0x0000},       {-0.0F, 0x8000},       {1.0F, 0x3F80},
                         {-2.0F, 0xC000},      {0x1.fep127F, 0x7F7F}, {0x1p-126F, 0x0080},
                         {0x1p-133F, 0x0001},  {kInfinity, 0x7F80},   {-kInfinity, 0xFF80},
                         {3.14159274F, 0x4049}};
  for (const Known& known : table)
    EXPECT_EQ(resolution::to_bf16_bits(known.value), known.bits) << known.value;
}

TEST(Bfloat, RoundsTiesToEvenAndToInfinityPastTheLargest) {
  const Known table[] = {{257.0F, 0x4380},  // Between 256 and 258.
                         {259.0F, 0x4382},  // Between 258 and 260.
                         {257.01F, 0x4381},
                         {0x1p-134F, 0x0000},
                         {0x1.8p-133F, 0x0002},
                         {std::numeric_limits<float>::max(), 0x7F80},
                         {-std::numeric_limits<float>::max(), 0xFF80}};
  for (const Known& known : table)
    EXPECT_EQ(resolution::to_bf16_bits(known.value), known.bits) << known.value;
}

TEST(Bfloat, SurvivesTheWayThroughFloatInEveryBitPattern) {
  for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
    const float value = resolution::from_bf16_bits(static_cast<std::uint16_t>(pattern));
    const bool nan = (pattern & 0x7F80U) == 0x7F80U && (pattern & 0x7FU) != 0;
    ASSERT_EQ(std::isnan(value), nan) << pattern;
    if (!nan) {
      ASSERT_EQ(resolution::to_bf16_bits(value), pattern) << value;
    }
  }
}

TEST(Bfloat, KeepsNansThatLiveInTheLowerHalfOnly) {
  const std::uint32_t bits = resolution::to_bf16_bits(std::bit_cast<float>(0x7F800001U));
  EXPECT_EQ(bits & 0x7F80U, 0x7F80U);
  EXPECT_NE(bits & 0x007FU, 0U);
}

}  // namespace
}  // namespace warptune::kernel_templates::resolution
