#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warptune::tuner::text_output {

/// Columns aligned by two blanks: the first column and all that are text to the left, columns listed in
/// `right` to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading, std::vector<std::size_t> right = {});
  /// Cells are of one line: what breaks lines or must not reach a terminal is escaped, as its width counts.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.size() == 1; }
  /// The heading, a rule, the rows; each line ends with a newline.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> right_;
};

}  // namespace warptune::tuner::text_output
