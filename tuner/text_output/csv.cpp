#include "tuner/text_output/csv.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/text.h"

namespace warptune::tuner::text_output {

namespace {

constexpr char kAsText = '\'';  // A spreadsheet shows the text after it as it is.

// The text of a quoted cell at the start of `rest`. Afterwards `rest` begins after the closing quote.
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

// Whether a text begins with a character that begins a formula in a spreadsheet, or that a spreadsheet skips
// before a formula (https://owasp.org/www-community/attacks/CSV_Injection).
bool begins_as_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
}

bool is_number(std::string_view text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return end == text.data() + text.size() && error != std::errc::invalid_argument;
}

// The text of a cell, without the apostrophe that `csv_cell` put before it.
std::string without_apostrophe(std::string text) {
  if (text.size() > 1 && text.front() == kAsText && begins_as_formula(std::string_view(text).substr(1)))
    text.erase(0, 1);
  return text;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string shown = base::printable(text);
  if (begins_as_formula(shown) && !is_number(shown)) shown.insert(0, 1, kAsText);
  const bool plain =
      shown.find_first_of(",;\"\t\n") == std::string::npos && base::trim(shown).size() == shown.size();
  if (plain) return shown;
  std::string cell = "\"";
  for (const char c : shown) cell.append(c == '"' ? 2 : 1, c);
  return cell + '"';
}

std::optional<std::vector<std::string>> csv_cells(std::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    if (line.starts_with('"')) {
      std::optional<std::string> text = take_quoted(line);
      if (!text || (!line.empty() && line.front() != ',')) return std::nullopt;
      cells.push_back(without_apostrophe(*std::move(text)));
    } else {
      const std::size_t end = std::min(line.find(','), line.size());
      cells.push_back(without_apostrophe(std::string(line.substr(0, end))));
      line.remove_prefix(end);
    }
    if (line.empty()) return cells;
    line.remove_prefix(1);
  }
}

}  // namespace warptune::tuner::text_output
