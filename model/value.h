#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace warptune::model {

/// A value of a parameter, a problem entry or an expression.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// The types in the order of `Value`'s alternatives.
enum class ValueType { kBoolean, kInteger, kReal, kText };

ValueType type_of(const Value& value);
/// The name of a type: "boolean", "integer", "real", "text".
std::string_view to_string(ValueType type);

/// The text of a value for people and for keys. A boolean is `true` or `false`, an integer is `12`. A real
/// has the shortest form that reads back exactly, always with a point or an exponent: `0.5`. Text does not
/// change.
std::string to_text(const Value& value);
/// The value as a literal of an expression: text is in double quotes with `\` escapes, and other types are as
/// in `to_text`.
std::string to_literal(const Value& value);

/// Reads `true` or `false`, an integer or a real, and everything else as text. It is for `NAME=VALUE` on the
/// command line.
Value parse_value(std::string_view text);
/// Reads a value of the given type. Returns std::nullopt when `text` does not have that type. An integer can
/// be read as a real, but a real cannot be read as an integer.
std::optional<Value> parse_value(std::string_view text, ValueType type);

/// The number of a boolean (0 or 1), an integer or a real. Returns std::nullopt for text.
std::optional<double> to_number(const Value& value);

/// Names with their values: a configuration, or the entries of a problem. The order is kept, for example that
/// of the parameters.
using NamedValues = std::vector<std::pair<std::string, Value>>;

/// Returns the value of `name`, or null.
const Value* find(const NamedValues& values, std::string_view name);

/// The canonical text `A=1,B=x`, sorted by name. Commas, equal signs and backslashes in text are escaped. Two
/// texts are equal exactly when the assignments are equal, in any order.
std::string key_of(const NamedValues& values);

/// The text `A=1 B=x` in the given order, for people.
std::string to_text(const NamedValues& values);

}  // namespace warptune::model
