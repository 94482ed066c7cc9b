#include "tuner/text_output/text_table.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "tuner/text_output/style.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::text_output {

namespace {

constexpr std::size_t kGap = 2;     // Spaces between columns.
constexpr std::size_t kIndent = 4;  // Spaces before a line below a row.

std::size_t columns_of_output = 0;

// The number of characters of a UTF-8 text: bytes that continue a character are not counted.
std::size_t width_of(const std::string& text) {
  const auto starts = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts));
}

// The words of a cell. A cell without a space is one word.
std::vector<std::string> words_of(const std::string& cell) {
  std::vector<std::string> words;
  for (std::string& word : base::split(cell, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

// The lines of a cell in a column of this width. A word that is wider stays whole.
std::vector<std::string> lines_of(const std::string& cell, std::size_t width) {
  if (width_of(cell) <= width) return {cell};
  std::vector<std::string> lines;
  for (const std::string& word : words_of(cell)) {
    const bool fits = !lines.empty() && width_of(lines.back()) + 1 + width_of(word) <= width;
    if (fits) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::size_t total_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

// Narrows the widest column by one character, again and again, until the table fits. No column becomes
// narrower than its longest word. Returns std::nullopt if that is not enough.
std::optional<std::vector<std::size_t>> shrunk(std::vector<std::size_t> widths,
                                               const std::vector<std::size_t>& words, std::size_t columns) {
  while (total_of(widths) > columns) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > words[i] && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
    }
    if (widest == nullptr) return std::nullopt;
    --*widest;
  }
  return widths;
}

std::string without_last_blanks(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

TextTable::TextTable(std::vector<std::string> heading, std::vector<std::size_t> right)
    : right_(std::move(right)) {
  rows_.push_back(std::move(heading));
  styles_[0] = Style::kHeading;
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  for (std::string& cell : row) cell = base::printable_line(cell);
  rows_.push_back(std::move(row));
}

void TextTable::add_below(const std::string& text) { below_[rows_.size() - 1] = base::printable_line(text); }

void TextTable::add(std::vector<std::string> row, Style style) {
  styles_[rows_.size()] = style;
  add(std::move(row));
}

std::string TextTable::in_style(std::size_t row, const std::string& line) const {
  const auto style = styles_.find(row);
  return style == styles_.end() ? line : styled(style->second, line);
}

void TextTable::fit_to(std::size_t columns) { columns_of_output = columns; }

std::string TextTable::text() const { return text(columns_of_output); }

std::string TextTable::text(std::size_t columns) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  std::vector<std::size_t> words(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(row[i]));
      for (const std::string& word : words_of(row[i])) words[i] = std::max(words[i], width_of(word));
    }
  }
  if (columns == 0 || total_of(widths) <= columns) return as_lines(widths, columns);
  const std::optional<std::vector<std::size_t>> narrow = shrunk(widths, words, columns);
  return narrow ? as_lines(*narrow, columns) : as_blocks(columns);
}

std::string TextTable::as_lines(const std::vector<std::size_t>& widths, std::size_t columns) const {
  const std::string indent(kIndent, ' ');
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      cells.push_back(lines_of(rows_[r][i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line;
      for (std::size_t i = 0; i < widths.size(); ++i) {
        const std::string part = l < cells[i].size() ? cells[i][l] : "";
        const std::string padding(widths[i] - std::min(widths[i], width_of(part)), ' ');
        const bool right = std::find(right_.begin(), right_.end(), i) != right_.end();
        line += (i == 0 ? "" : std::string(kGap, ' ')) + (right ? padding + part : part + padding);
      }
      line = without_last_blanks(line);
      text += in_style(r, line) + "\n";
    }
    if (const auto below = below_.find(r); below != below_.end()) {
      const std::size_t room = columns == 0 ? width_of(below->second) : columns - std::min(columns, kIndent);
      for (const std::string& line : lines_of(below->second, room)) text += indent + line + "\n";
    }
    if (r > 0) continue;
    std::string rule;
    for (std::size_t i = 0; i < widths.size(); ++i)
      rule += (i == 0 ? "" : std::string(kGap, ' ')) + std::string(widths[i], '-');
    text += rule + "\n";
  }
  return text;
}

std::string TextTable::as_blocks(std::size_t columns) const {
  std::size_t heading = 0;
  for (const std::string& title : rows_.front()) heading = std::max(heading, width_of(title));
  const std::size_t room = columns > heading + kGap ? columns - heading - kGap : 1;
  std::string text;
  for (std::size_t r = 1; r < rows_.size(); ++r) {
    if (r > 1) text += "\n";
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      if (rows_[r][i].empty()) continue;
      const std::string& title = rows_.front()[i];
      std::string before =
          styled(Style::kHeading, title) + std::string(heading - width_of(title) + kGap, ' ');
      for (const std::string& line : lines_of(rows_[r][i], room)) {
        text += before + in_style(r, line) + "\n";
        before = std::string(heading + kGap, ' ');
      }
    }
    if (const auto below = below_.find(r); below != below_.end()) {
      for (const std::string& line : lines_of(below->second, columns)) text += line + "\n";
    }
  }
  return text;
}

}  // namespace warptune::tuner::text_output
