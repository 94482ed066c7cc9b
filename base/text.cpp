#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace warptune::base {

namespace {

// Levenshtein distance with two rows.
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

}  // namespace warptune::base
