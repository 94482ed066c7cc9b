#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace warptune::base {

namespace {

// The Levenshtein distance, computed with two rows of the matrix.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, substituted});
    }
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(wanted, name);
    if (distance < std::max(wanted.size(), name.size())) ranked.emplace_back(distance, name);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, name] : ranked) {
    if (nearest.size() == 3) break;
    nearest.push_back(name);
  }
  return nearest;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> known) {
  const std::vector<std::string> nearest = nearest_names(wanted, known);
  return nearest.empty() ? "" : fmt::format(" (did you mean {}?)", fmt::join(nearest, ", "));
}

std::string format_time_ns(double time_ns) {
  static constexpr std::pair<double, const char*> kUnits[] = {
      {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1.0, "ns"}};
  if (!std::isfinite(time_ns)) return "-";
  for (const auto& [scale, unit] : kUnits) {
    if (std::abs(time_ns) < scale && scale > 1.0) continue;
    const double scaled = time_ns / scale;
    const int digits = std::abs(scaled) >= 100 ? 0 : std::abs(scaled) >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", scaled, digits, unit);
  }
  return fmt::format("{} ns", time_ns);
}

std::string format_time_ns(const std::optional<double>& time_ns) {
  return time_ns ? format_time_ns(*time_ns) : "-";
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view several) {
  if (number == 1) return fmt::format("1 {}", one);
  return several.empty() ? fmt::format("{} {}s", number, one) : fmt::format("{} {}", number, several);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string shell_word(const std::string& text) {
  const bool is_plain = !text.empty() && text.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                             "_-+=.,/:@%") == std::string::npos;
  if (is_plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

namespace {

/// One character of UTF-8 text.
struct Character {
  char32_t code = 0;
  std::size_t size = 0;  ///< The number of bytes; 0 if they are not valid UTF-8.
};

// Decodes by RFC 3629: overlong forms, surrogates and codes above U+10FFFF are not valid UTF-8. `text` is not
// empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t size = byte(0) < 0xC2   ? 0
                           : byte(0) < 0xE0 ? 2
                           : byte(0) < 0xF0 ? 3
                           : byte(0) < 0xF5 ? 4
                                            : 0;
  if (size == 0 || text.size() < size) return {};
  char32_t code = byte(0) & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kMinCode = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kMinCode.at(size) || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return {};
  return {code, size};
}

bool may_be_printed(char32_t code) {
  if (code < 0x20) return code == '\n' || code == '\t';
  const bool is_control = code >= 0x7F && code <= 0x9F;
  const bool is_direction = (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return !is_control && !is_direction && code != 0xFFFE && code != 0xFFFF;
}

// Printable ASCII characters, newline and tab. They are copied without being decoded.
bool is_plain(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; }

}  // namespace

std::size_t printable_size(std::string_view text) {
  if (text.empty()) return 0;
  const Character first = first_character(text);
  return may_be_printed(first.code) ? first.size : 0;
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t plain =
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    shown.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character first = first_character(text);
    const std::size_t size = std::max<std::size_t>(first.size, 1);
    if (first.size == 0) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (may_be_printed(first.code)) {
      shown.append(text.substr(0, size));
    } else if (!text.starts_with("\r\n")) {
      shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(first.code));
    }
    text.remove_prefix(size);
  }
  return shown;
}

std::string printable_line(std::string_view text) {
  std::string line;
  for (const char c : printable(text)) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace warptune::base
