#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace warptune::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearestNames, ComeNearestFirstAndAtMostThree) {
  const std::vector<std::string> known = {"BLOCK_K", "BLOCK_M", "UNROLL", "BLOCK_N", "BLOCK"};
  EXPECT_THAT(nearest_names("BLOK_M", known), ElementsAre("BLOCK_M", "BLOCK_K", "BLOCK_N"));
}

TEST(NearestNames, LeaveOutWhatSharesNothing) {
  const std::vector<std::string> known = {"abc"};
  EXPECT_THAT(nearest_names("xyz", known), IsEmpty());
  EXPECT_THAT(nearest_names("xyz", {}), IsEmpty());
}

TEST(DidYouMean, IsAnAppendixOrNothing) {
  const std::vector<std::string> known = {"tune", "query"};
  EXPECT_THAT(did_you_mean("tun", known), ::testing::StartsWith(" (did you mean tune"));
  EXPECT_EQ(did_you_mean("xxxx", std::vector<std::string>{"ab"}), "");
}

TEST(FormatTime, HasThreeDigitsAndAFittingUnit) {
  EXPECT_EQ(format_time_ns(1.0), "1.00 ns");
  EXPECT_EQ(format_time_ns(12345.0), "12.3 us");
  EXPECT_EQ(format_time_ns(4.59e6), "4.59 ms");
  EXPECT_EQ(format_time_ns(1.2e9), "1.20 s");
  EXPECT_EQ(format_time_ns(123.0e9), "123 s");
  EXPECT_EQ(format_time_ns(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Trim, DropsWhiteSpaceAtBothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
}

TEST(FirstLine, EndsBeforeTheLineBreak) {
  EXPECT_EQ(first_line("k.cu(3): error\nmore\n"), "k.cu(3): error");
  EXPECT_EQ(first_line("\nmore"), "");
  EXPECT_EQ(first_line("all"), "all");
  EXPECT_EQ(first_line(""), "");
}

TEST(LowerCase, ChangesTheLettersOfAsciiAlone) {
  EXPECT_EQ(lower_case("NVIDIA H200 [\xC3\x84]"), "nvidia h200 [\xC3\x84]");
}

}  // namespace
}  // namespace warptune::base
