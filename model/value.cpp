#include "model/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace warptune::model {

namespace {

template <class T>
std::optional<T> read_whole(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> read_finite(std::string_view text) {
  const std::optional<double> number = read_whole<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string real_text(double number) {
  std::string text = fmt::format("{}", number);
  if (std::isfinite(number) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void append_escaped(std::string& key, std::string_view text) {
  for (const char c : text) {
    if (c == ',' || c == '=' || c == '\\') key += '\\';
    key += c;
  }
}

// Text that would be read as another type begins with a backslash, so that "1" and 1 differ.
void append_key_value(std::string& key, const Value& value) {
  const std::string* text = std::get_if<std::string>(&value);
  if (text == nullptr) {
    key += to_text(value);
    return;
  }
  if (type_of(parse_value(*text)) != ValueType::kText) key += '\\';
  append_escaped(key, *text);
}

}  // namespace

ValueType type_of(const Value& value) { return static_cast<ValueType>(value.index()); }

std::string_view to_string(ValueType type) {
  switch (type) {
    case ValueType::kBoolean:
      return "boolean";
    case ValueType::kInteger:
      return "integer";
    case ValueType::kReal:
      return "real";
    case ValueType::kText:
      return "text";
  }
  return "unknown";
}

std::string to_text(const Value& value) {
  switch (type_of(value)) {
    case ValueType::kBoolean:
      return std::get<bool>(value) ? "true" : "false";
    case ValueType::kInteger:
      return fmt::format("{}", std::get<std::int64_t>(value));
    case ValueType::kReal:
      return real_text(std::get<double>(value));
    case ValueType::kText:
      break;
  }
  return std::get<std::string>(value);
}

std::string to_literal(const Value& value) {
  const std::string* text = std::get_if<std::string>(&value);
  if (text == nullptr) return to_text(value);
  std::string literal = "\"";
  for (const char c : *text) {
    if (c == '"' || c == '\\') literal += '\\';
    if (c == '\n') {
      literal += "\\n";
    } else if (c == '\t') {
      literal += "\\t";
    } else {
      literal += c;
    }
  }
  return literal + '"';
}

Value parse_value(std::string_view text) {
  for (const ValueType type : {ValueType::kBoolean, ValueType::kInteger, ValueType::kReal}) {
    if (std::optional<Value> value = parse_value(text, type)) return *std::move(value);
  }
  return std::string(text);
}

std::optional<Value> parse_value(std::string_view text, ValueType type) {
  switch (type) {
    case ValueType::kBoolean:
      if (text == "true") return Value(true);
      if (text == "false") return Value(false);
      return std::nullopt;
    case ValueType::kInteger:
      if (const auto number = read_whole<std::int64_t>(text)) return Value(*number);
      return std::nullopt;
    case ValueType::kReal:
      if (const auto number = read_finite(text)) return Value(*number);
      return std::nullopt;
    case ValueType::kText:
      break;
  }
  return Value(std::string(text));
}

std::optional<double> to_number(const Value& value) {
  switch (type_of(value)) {
    case ValueType::kBoolean:
      return std::get<bool>(value) ? 1.0 : 0.0;
    case ValueType::kInteger:
      return static_cast<double>(std::get<std::int64_t>(value));
    case ValueType::kReal:
      return std::get<double>(value);
    case ValueType::kText:
      break;
  }
  return std::nullopt;
}

const Value* find(const NamedValues& values, std::string_view name) {
  for (const auto& entry : values) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

std::string key_of(const NamedValues& values) {
  std::vector<const std::pair<std::string, Value>*> sorted;
  for (const auto& entry : values) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  std::string key;
  for (const auto* entry : sorted) {
    if (!key.empty()) key += ',';
    append_escaped(key, entry->first);
    key += '=';
    append_key_value(key, entry->second);
  }
  return key;
}

std::string to_text(const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    if (!text.empty()) text += ' ';
    text += name + '=' + to_text(value);
  }
  return text;
}

}  // namespace warptune::model
