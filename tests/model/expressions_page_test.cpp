// The examples of docs/expressions.md are what the language does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "model/expression.h"

namespace warptune::model {
namespace {

using ::testing::StartsWith;

struct Example {
  std::string expression;
  std::string value;  // As a literal, or "error: " with the reason.
};

std::string without_marks(std::string cell) {
  const std::size_t first = cell.find_first_not_of(" `");
  const std::size_t last = cell.find_last_not_of(" `");
  return first == std::string::npos ? "" : cell.substr(first, last - first + 1);
}

// The cells of a row; `\|` is a bar within one.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells = {""};
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|' && cells.back().ends_with('\\')) {
      cells.back().back() = '|';
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

std::vector<Example> examples() {
  std::ifstream page(WARPTUNE_SOURCE_FOLDER "/docs/expressions.md");
  std::vector<Example> rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("<!--")) inside = line == "<!-- examples -->";
    if (!inside || !line.starts_with("| `")) continue;
    const std::vector<std::string> cells = cells_of(line);
    rows.push_back({without_marks(cells.at(0)), without_marks(cells.at(1))});
  }
  return rows;
}

TEST(ExpressionsPage, HasExamplesThatAreWhatTheLanguageDoes) {
  const NamedValues values = {{"BLOCK", std::int64_t{256}},
                              {"ITEMS", std::int64_t{3}},
                              {"N", std::int64_t{1000}},
                              {"SCALE", 2.5},
                              {"FAST", true},
                              {"dtype", std::string("f16")}};
  const std::vector<Example> rows = examples();
  EXPECT_GE(rows.size(), 30U);
  for (const Example& row : rows) {
    const base::Result<Value> value = Expression::parse(row.expression).evaluate(values);
    if (value) {
      EXPECT_EQ(to_literal(*value), row.value) << row.expression;
    } else {
      EXPECT_THAT("error: " + value.error(), StartsWith(row.value)) << row.expression;
    }
  }
}

}  // namespace
}  // namespace warptune::model
