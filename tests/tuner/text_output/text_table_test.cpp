#include "tuner/text_output/text_table.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace warptune::tuner::text_output
