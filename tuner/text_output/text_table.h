#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warptune::tuner::text_output {

/// A table for a terminal, with two spaces between columns. Columns listed in `right` are aligned to the
/// right, all others to the left.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading, std::vector<std::size_t> right = {});
  /// Adds a row. A cell is one line: line breaks and characters that must not reach a terminal are escaped
  /// here, because they count for the width.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.size() == 1; }
  /// The heading, a rule and the rows. Each line ends with a newline.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> right_;
};

}  // namespace warptune::tuner::text_output
