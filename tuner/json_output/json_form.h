#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

/// What all JSON outputs have in common. docs/json.md describes the form for users, and the files in
/// `schemas/` define it for programs.
namespace warptune::tuner::json_output {

/// The version of the form, which is the same in all outputs. A new key needs no new version. A key that is
/// removed or renamed, or that gets another meaning or unit, does. In version 1, only the outputs of `export`
/// and `report` had a version.
inline constexpr int kJsonVersion = 2;

/// The beginning of an output, `{"format": "warptune-NAME", "version": 2}`, to which the caller adds members.
/// `schemas/NAME.schema.json` describes the whole output.
nlohmann::ordered_json json_head(std::string_view name);

/// The indented text of a JSON output. Bytes that are not valid UTF-8 become U+FFFD. A compiler log may
/// contain such bytes from the source.
std::string to_text(const nlohmann::ordered_json& output);
/// The same text in one line.
std::string to_line(const nlohmann::ordered_json& output);

/// A number, or null for NaN and infinity, which JSON cannot hold.
nlohmann::ordered_json finite_or_null(double value);
nlohmann::ordered_json finite_or_null(const std::optional<double>& value);
/// A text, or null for an empty one.
nlohmann::ordered_json text_or_null(const std::string& text);
/// A number, or null for 0. Databases store 0 for a number that is unknown.
template <class Number>
nlohmann::ordered_json known_or_null(Number number) {
  return number == Number{} ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(number);
}
template <class Held>
nlohmann::ordered_json value_or_null(const std::optional<Held>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace warptune::tuner::json_output
