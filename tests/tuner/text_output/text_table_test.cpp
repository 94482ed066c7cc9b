#include "tuner/text_output/text_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warptune::tuner::text_output {
namespace {

TEST(TextTableTest, AlignsTextLeftAndListedColumnsRight) {
  TextTable table({"name", "count"}, {1});
  table.add({"a", "1"});
  table.add({"longer", "12345678"});
  EXPECT_EQ(table.text(),
            "name       count\n"
            "------  --------\n"
            "a              1\n"
            "longer  12345678\n");
}

TEST(TextTableTest, LinesEndWithoutBlanks) {
  TextTable table({"name", "note"});
  table.add({"a", ""});
  table.add({"b", "something"});
  EXPECT_EQ(table.text(),
            "name  note\n"
            "----  ---------\n"
            "a\n"
            "b     something\n");
}

TEST(TextTableTest, ARowTooShortOrTooLongTakesTheHeadingsLength) {
  TextTable table({"a", "b"});
  table.add({"1"});
  table.add({"1", "2", "3"});
  EXPECT_EQ(table.text(), "a  b\n-  -\n1\n1  2\n");
}

TEST(TextTableTest, IsEmptyUntilARowIsAdded) {
  TextTable table({"a"});
  EXPECT_TRUE(table.empty());
  table.add({"1"});
  EXPECT_FALSE(table.empty());
}

TEST(TextTableTest, CountsCharactersAndNotBytes) {
  TextTable table({"name", "x"});
  table.add({"5 \xc2\xb5s", "1"});
  EXPECT_EQ(table.text(), "name  x\n----  -\n5 \xc2\xb5s  1\n");
}

TEST(TextTableTest, CellsKeepToTheirLineAndCountAsTheyAreShown) {
  TextTable table({"name", "x"});
  table.add({"a\x1b[1m\nb", "1"});
  EXPECT_EQ(table.text(), "name           x\n-------------  -\na\\u001b[1m\\nb  1\n");
}

TEST(TextTableTest, ShowsALineBelowARowThatMayBeAsWideAsTheTable) {
  TextTable table({"name", "count"}, {1});
  table.add({"a", "1"});
  table.add_below("grid 128,\nblock 32");
  table.add({"b", "2"});
  EXPECT_EQ(table.text(0), "name  count\n----  -----\na         1\n    grid 128,\\nblock 32\nb         2\n");
  EXPECT_EQ(table.text(16),
            "name  count\n----  -----\na         1\n    grid\n    128,\\nblock\n    32\nb         2\n");
  EXPECT_EQ(table.text(8), "name   a\ncount  1\ngrid\n128,\\nblock\n32\n\nname   b\ncount  2\n");
}

TEST(TextTableTest, BreaksCellsBetweenWordsWhereItWouldBeTooWide) {
  TextTable table({"name", "what it does", "n"}, {2});
  table.add({"alpha", "adds two vectors of numbers", "12"});
  table.add({"b", "none", "3"});
  EXPECT_EQ(table.text(26),
            "name   what it does      n\n"
            "-----  ---------------  --\n"
            "alpha  adds two         12\n"
            "       vectors of\n"
            "       numbers\n"
            "b      none              3\n");
  EXPECT_EQ(table.text(0), table.text(200));
}

TEST(TextTableTest, ShowsRowsAsBlocksWhereNotEvenTheLongestWordsFitSideBySide) {
  TextTable table({"parameter", "configuration"});
  table.add({"a_very_long_name", "BLOCK_M=128 BLOCK_N=128"});
  table.add({"b", ""});
  EXPECT_EQ(table.text(27),
            "parameter      a_very_long_name\n"
            "configuration  BLOCK_M=128\n"
            "               BLOCK_N=128\n"
            "\n"
            "parameter      b\n");
}

TEST(TextTableTest, FitsEveryWidthThatItsWordsAllow) {
  TextTable table({"one", "two", "three"});
  table.add({"lorem ipsum dolor sit amet", "consectetur adipiscing elit sed", "do eiusmod tempor"});
  const auto widest_line_of = [](const std::string& text) {
    std::size_t widest = 0;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = text.find('\n', start);
      widest = std::max(widest, end - start);
      start = end + 1;
    }
    return widest;
  };
  for (std::size_t columns = 28; columns <= 200; ++columns)
    EXPECT_LE(widest_line_of(table.text(columns)), columns);
}

}  // namespace
}  // namespace warptune::tuner::text_output
