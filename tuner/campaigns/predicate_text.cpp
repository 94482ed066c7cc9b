#include "tuner/campaigns/predicate_text.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "model/value.h"

namespace warptune::tuner::campaigns {

namespace {

// Ten times a compute capability such as `9.0`.
std::optional<int> capability_of(std::string_view text) {
  text = base::trim(text);
  const std::size_t dot = text.find('.');
  if (dot == 0 || dot == std::string_view::npos || dot > 2 || text.size() != dot + 2) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    if (c == '.') continue;
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

}  // namespace

void read_capability(std::string_view text, fleet::GpuPredicate& predicate) {
  const std::string_view trimmed = base::trim(text);
  const std::size_t dots = trimmed.find("..");
  std::optional<int> low;
  std::optional<int> high;
  bool is_read = false;
  if (trimmed.starts_with(">=")) {
    low = capability_of(trimmed.substr(2));
    is_read = low.has_value();
  } else if (trimmed.starts_with("<=")) {
    high = capability_of(trimmed.substr(2));
    is_read = high.has_value();
  } else if (dots != std::string_view::npos) {
    low = capability_of(trimmed.substr(0, dots));
    high = capability_of(trimmed.substr(dots + 2));
    is_read = low && high && *low <= *high;
  } else {
    low = high = capability_of(trimmed);
    is_read = low.has_value();
  }
  if (!is_read) {
    throw base::InputError(
        fmt::format("compute_capability is '{}', expected '9.0', '>=8.0', '<=9.0' or '8.0..9.0'", text));
  }
  predicate.min_capability = low;
  predicate.max_capability = high;
}

void read_memory(std::string_view text, fleet::GpuPredicate& predicate) {
  std::string_view rest = base::trim(text);
  if (rest.starts_with(">=")) rest = base::trim(rest.substr(2));
  double unit = 0.0;
  if (rest.ends_with("GiB")) unit = 0x1p30;
  if (rest.ends_with("MiB")) unit = 0x1p20;
  std::optional<model::Value> number;
  if (unit > 0.0)
    number = model::parse_value(base::trim(rest.substr(0, rest.size() - 3)), model::ValueType::kReal);
  const double amount = number ? std::get<double>(*number) : 0.0;
  if (!(amount > 0.0 && amount * unit < 0x1p60)) {
    throw base::InputError(
        fmt::format("memory is '{}', expected a minimum such as '40 GiB' or '8192 MiB'", text));
  }
  predicate.min_memory_bytes = static_cast<std::int64_t>(amount * unit);
}

}  // namespace warptune::tuner::campaigns
