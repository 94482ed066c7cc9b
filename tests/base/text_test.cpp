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

TEST(ShellWord, IsQuotedWhereTheShellNeedsIt) {
  EXPECT_EQ(shell_word("M=4096"), "M=4096");
  EXPECT_EQ(shell_word("kernels/my kernel.cu"), "'kernels/my kernel.cu'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Printable, LeavesTextWithNewlinesTabsAndUtf8AsItIs) {
  const std::string text = "x\t5 \xC2\xB5s\n\xE2\x82\xAC \xF0\x9F\x98\x80 \\u001b ~";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, WritesControlCharactersAsJsonDoes) {
  EXPECT_EQ(printable("\x1b[31mred\x07"), "\\u001b[31mred\\u0007");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(printable("\x7f"), "\\u007f");
  EXPECT_EQ(printable("\xC2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(printable("a\rb\r\nc\r"), "a\\u000db\nc\\u000d");
}

TEST(Printable, WritesWhatChangesTheDirectionOfText) {
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "a\xE2\x80\xAC\xE2\x81\xA6\xE2\x81\xA9"),
            "\\u202ea\\u202c\\u2066\\u2069");
  EXPECT_EQ(printable("\xE2\x80\xA8\xEF\xBF\xBE"), "\\u2028\\ufffe");
}

TEST(Printable, WritesBytesThatAreNoUtf8OneByOne) {
  EXPECT_EQ(printable("\x9b"
                      "31m\xff"),
            "\\x9b31m\\xff");
  EXPECT_EQ(printable("\xC0\x9b"), "\\xc0\\x9b");  // Longer than it need be.
  EXPECT_EQ(printable("\xE0\x80\x9b"), "\\xe0\\x80\\x9b");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // A surrogate.
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("caf\xC3"), "caf\\xc3");
  EXPECT_EQ(printable("\xC3"
                      "a"),
            "\\xc3"
            "a");
}

// Every sequence of two bytes, and of three that begin as one character does.
TEST(Printable, LeavesNothingThatATerminalActsOn) {
  const auto expect_harmless = [](const std::string& text) {
    const std::string shown = printable(text);
    EXPECT_EQ(printable(shown), shown);
    for (std::size_t at = 0; at < shown.size();) {
      const std::size_t size = printable_size(std::string_view(shown).substr(at));
      ASSERT_GT(size, 0U);
      at += size;
    }
  };
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second)};
      expect_harmless(text);
      if (first == 0xE2 && second >= 0x80)
        for (int third = 0; third < 256; ++third) expect_harmless(text + static_cast<char>(third));
    }
  }
}

TEST(PrintableLine, HasNoLineBreaksAndTabs) { EXPECT_EQ(printable_line("a\nb\tc\x1b"), "a\\nb\\tc\\u001b"); }

TEST(Contains, IsTrueOfNamesThatAreThere) {
  const std::vector<std::string> names = {"a", "bc"};
  EXPECT_TRUE(contains(names, "bc"));
  EXPECT_FALSE(contains(names, "b"));
  EXPECT_FALSE(contains({}, ""));
}

}  // namespace
}  // namespace warptune::base
