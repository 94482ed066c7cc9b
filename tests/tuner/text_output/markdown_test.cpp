#include "tuner/text_output/markdown.h"

#include <gtest/gtest.h>

namespace warptune::tuner::text_output {
namespace {

TEST(MarkdownTest, ACellEndsNeitherItsColumnNorItsLine) {
  EXPECT_EQ(markdown_cell("a || b"), "a \\|\\| b");
  const std::string broken = markdown_cell("one\ntwo\x1b[31m");
  EXPECT_EQ(broken.find('\n'), std::string::npos);
  EXPECT_EQ(broken.find('\x1b'), std::string::npos);
}

TEST(MarkdownTest, AnEmptyTextIsNoCode) {
  EXPECT_EQ(markdown_code("N | 1"), "`N \\| 1`");
  EXPECT_EQ(markdown_code(""), "");
}

TEST(MarkdownTest, AHeadIsARowWithARuleOfTheSameWidth) {
  EXPECT_EQ(markdown_row({"a", "", "c"}), "| a |  | c |\n");
  EXPECT_EQ(markdown_head({"name", "value"}), "| name | value |\n| --- | --- |\n");
}

}  // namespace
}  // namespace warptune::tuner::text_output
