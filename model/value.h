#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace warptune::model {

/// What a parameter, a problem entry or an expression can hold.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// In the order of `Value`'s alternatives.
enum class ValueType { kBoolean, kInteger, kReal, kText };

ValueType type_of(const Value& value);
/// "boolean", "integer", "real", "text".
std::string_view to_string(ValueType type);

/// For people and for keys: `true`, `12`, `0.5` (shortest form that reads back, always with a point or an
/// exponent), text as it is.
std::string to_text(const Value& value);
/// As in an expression: text in double quotes with `\` escapes, else as `to_text`.
std::string to_literal(const Value& value);

/// Reads `true`/`false`, an integer, a real, else text: for `NAME=VALUE` on the command line.
Value parse_value(std::string_view text);
/// Reads a value of one type; nothing when it is not one (an integer reads as a real, not the other way
/// round).
std::optional<Value> parse_value(std::string_view text, ValueType type);

/// The number in a boolean (0 or 1), integer or real; nothing for text.
std::optional<double> to_number(const Value& value);

/// Names with their values in a meaningful order: a configuration by names, a problem.
using NamedValues = std::vector<std::pair<std::string, Value>>;

/// The value of `name`, or null.
const Value* find(const NamedValues& values, std::string_view name);

/// `A=1,B=x` sorted by name, commas, equal signs and backslashes in text escaped: equal exactly when the
/// assignments are equal, whatever their order.
std::string key_of(const NamedValues& values);

/// `A=1 B=x` in the given order, for people.
std::string to_text(const NamedValues& values);

}  // namespace warptune::model
