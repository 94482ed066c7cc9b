#include "db/recordings/json_error.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace warptune::db::recordings {

namespace {

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

int take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// Shortens a message. The library quotes the token that it read last, which may be very long.
std::string cut(std::string_view text) {
  constexpr std::size_t kMaxBytes = 200;
  if (text.size() <= kMaxBytes) return std::string(text);
  std::size_t end = kMaxBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace

// The library's messages look like this: `[json.exception.parse_error.101] parse error at line 1, column 2:
// syntax error while parsing ...`
JsonErrorText describe_error(const nlohmann::json::exception& error) {
  std::string_view text = error.what();
  if (text.starts_with("[json.exception."))
    text.remove_prefix(std::min(text.find("] "), text.size() - 2) + 2);
  JsonErrorText complaint;
  if (take(text, "parse error")) {
    if (take(text, " at line ")) complaint.line = take_number(text);
    if (take(text, ", column ")) complaint.column = take_number(text);
    if (take(text, " at byte ")) take_number(text);
    take(text, ": ");
  }
  complaint.text = cut(text);
  return complaint;
}

void refuse_json(const nlohmann::json::exception& error, base::SourcePosition position) {
  const JsonErrorText complaint = describe_error(error);
  position.line = complaint.line == 0 ? position.line : std::max(position.line, 1) + complaint.line - 1;
  position.column = complaint.column;
  throw base::InputError("expected JSON: " + complaint.text, std::move(position));
}

}  // namespace warptune::db::recordings
