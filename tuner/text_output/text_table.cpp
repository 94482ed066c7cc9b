#include "tuner/text_output/text_table.h"

#include <algorithm>

#include "base/text.h"

namespace warptune::tuner::text_output {

namespace {

// The number of characters of a UTF-8 text: bytes that continue a character are not counted.
std::size_t width_of(const std::string& text) {
  const auto starts = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> heading, std::vector<std::size_t> right)
    : right_(std::move(right)) {
  rows_.push_back(std::move(heading));
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  for (std::string& cell : row) cell = base::printable_line(cell);
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string padding(widths[i] - width_of(rows_[r][i]), ' ');
      const bool right = std::find(right_.begin(), right_.end(), i) != right_.end();
      line += (i == 0 ? "" : "  ") + (right ? padding + rows_[r][i] : rows_[r][i] + padding);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (r > 0) continue;
    std::string rule;
    for (std::size_t i = 0; i < widths.size(); ++i)
      rule += (i == 0 ? "" : "  ") + std::string(widths[i], '-');
    text += rule + "\n";
  }
  return text;
}

}  // namespace warptune::tuner::text_output
