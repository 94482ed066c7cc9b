#include "tuner/text_output/csv.h"

#include <gmock/gmock.h>

namespace warptune::tuner::text_output {
namespace {

TEST(CsvTest, CellsAreQuotedWhereTheyNeedIt) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_cell(" a"), "\" a\"");
  EXPECT_EQ(csv_cell("a;=1+1"), "\"a;=1+1\"");  // Some spreadsheets separate cells by semicolons.
}

TEST(CsvTest, AFormulaIsMadeText) {
  for (const char* formula : {"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\n=1", "=", "-O3"}) {
    const std::string cell = csv_cell(formula);
    EXPECT_TRUE(cell.starts_with("'") || cell.starts_with("\"'")) << cell;
  }
}

TEST(CsvTest, ANumberStaysOne) {
  for (const char* number : {"-5", "-1.5e-7", "42", "-0"}) EXPECT_EQ(csv_cell(number), number);
}

TEST(CsvTest, ControlCharactersAreEscaped) {
  EXPECT_EQ(csv_cell("a\x1b[1m\r\xff"), "a\\u001b[1m\\u000d\\xff");
}

TEST(CsvTest, WhatWasWrittenIsReadBack) {
  for (const char* text : {"plain", "a,b", "\"", "=1+1", "-x", "'quoted'", "'", "-5"}) {
    const auto cells = csv_cells(csv_cell(text) + ",1");
    ASSERT_TRUE(cells);
    EXPECT_EQ(cells->at(0), text);
  }
}

}  // namespace
}  // namespace warptune::tuner::text_output
