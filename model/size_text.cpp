#include "model/size_text.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace warptune::model {

std::optional<std::int64_t> parse_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  constexpr double kLimit = 0x1p53;  // A double represents every integer up to this one.
  if (text.size() > 2 && text.back() == 'i') text.remove_suffix(1);
  if (text.size() < 2) return std::nullopt;
  const char unit = text.back() == 'k' ? 'K' : text.back();
  const std::size_t power = kUnits.find(unit);
  if (power == std::string_view::npos) return std::nullopt;
  text.remove_suffix(1);
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  const std::optional<Value> number = plain ? parse_value(text, ValueType::kReal) : std::nullopt;
  if (!number) return std::nullopt;
  const double value = std::get<double>(*number) * std::pow(1024.0, static_cast<double>(power + 1));
  if (value != std::trunc(value) || value > kLimit) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<Value> size_like(const Value& given, const Value& declared) {
  if (type_of(given) == type_of(declared)) return given;
  const std::string text = to_text(given);
  if (type_of(declared) == ValueType::kInteger) {
    if (const std::optional<std::int64_t> size = parse_size(text)) return Value(*size);
  }
  return parse_value(text, type_of(declared));
}

bool is_size(const Value& given, const Value& value) {
  const std::optional<Value> size = size_like(given, value);
  return size && to_text(*size) == to_text(value);
}

}  // namespace warptune::model
