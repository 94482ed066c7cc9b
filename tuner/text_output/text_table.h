#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tuner/text_output/style.h"

namespace warptune::tuner::text_output {

/// A table for a terminal, with two spaces between columns. Columns listed in `right` are aligned to the
/// right, all others to the left.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading, std::vector<std::size_t> right = {});
  /// Adds a row. A cell is one line: line breaks and characters that must not reach a terminal are escaped
  /// here, because escaping changes the width.
  void add(std::vector<std::string> row);
  /// Adds a row that a terminal with colour shows in a style.
  void add(std::vector<std::string> row, Style style);
  /// Adds a line below the last row, which must exist. The line is indented, and may be as wide as the table.
  void add_below(const std::string& text);
  bool empty() const { return rows_.size() == 1; }
  /// The heading, a rule and the rows. Each line ends with a newline. A table that is wider than `columns`
  /// has cells of several lines, which are broken between words. If even the longest words are too wide
  /// together, each row is a block with a line for each of its cells: heading and text. A width of 0 leaves
  /// every row on one line.
  std::string text(std::size_t columns) const;
  /// The text for the width that `fit_to` has set.
  std::string text() const;

  /// Sets the width of all tables: the columns of the terminal that the program prints to. The initial value
  /// is 0.
  static void fit_to(std::size_t columns);

 private:
  std::string as_lines(const std::vector<std::size_t>& widths, std::size_t columns) const;
  std::string as_blocks(std::size_t columns) const;

  std::string in_style(std::size_t row, const std::string& line) const;

  std::vector<std::vector<std::string>> rows_;
  std::map<std::size_t, Style> styles_;       // By the row's index; the heading is row 0.
  std::map<std::size_t, std::string> below_;  // The line below a row, by the row's index.
  std::vector<std::size_t> right_;
};

}  // namespace warptune::tuner::text_output
