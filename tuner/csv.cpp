#include "tuner/csv.h"

#include <algorithm>

#include "base/text.h"

namespace warptune::tuner {

namespace {

// The text of a quoted cell that begins at the start of `rest`, which then begins after the closing quote.
std::optional<std::string> take_quoted(std::string_view& rest) {
  std::string text;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] != '"') {
      text += rest[i];
    } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
      text += rest[i++];
    } else {
      rest.remove_prefix(i + 1);
      return text;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const bool plain =
      text.find_first_of(",\"\r\n") == std::string_view::npos && base::trim(text).size() == text.size();
  if (plain) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
  return cell + '"';
}

std::optional<std::vector<std::string>> csv_cells(std::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    if (line.starts_with('"')) {
      std::optional<std::string> text = take_quoted(line);
      if (!text || (!line.empty() && line.front() != ',')) return std::nullopt;
      cells.push_back(*std::move(text));
    } else {
      const std::size_t end = std::min(line.find(','), line.size());
      cells.emplace_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    if (line.empty()) return cells;
    line.remove_prefix(1);
  }
}

}  // namespace warptune::tuner
