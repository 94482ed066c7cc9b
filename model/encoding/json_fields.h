#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/encoding/later_text.h"
#include "model/fields.h"

/// Converts structs whose members `visit_fields` lists to JSON, and back. Include it only in .cpp files that
/// do this, because it includes a large library.
namespace warptune::model::encoding {

using nlohmann::json;

/// A value whose fields are listed by `visit_fields`, as in `model/fields.h`.
template <class T>
concept HasFields = requires(T& object) {
  visit_fields(object, [](const char*, auto&&) {});
};

/// A JSON value that is not what was expected.
class JsonFieldError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Why a text was not read, for people: the message of the JSON library without its codes, or that of
/// `JsonFieldError`. The library quotes what it has read, so a long message is cut.
inline std::string json_problem(const std::exception& error) {
  constexpr std::size_t kMaxBytes = 200;
  const std::string text = error.what();
  const std::size_t end = text.starts_with("[json.exception.") ? text.find("] ") : std::string::npos;
  return text.substr(end == std::string::npos ? 0 : end + 2, kMaxBytes);
}

/// An enumeration that is written as its text (`to_string`), and read by `parse_text`. Both are declared
/// beside the enumeration.
template <class T>
concept NamedEnum = std::is_enum_v<T> &&
    requires(T value, const std::string& text, std::optional<T>& parsed) {
  to_string(value);
  parse_text(text, parsed);
};

// Writing
// -----------------------------------------------------------------------------------------------------

template <class T>
requires std::is_arithmetic_v<T> json json_of(T value) { return value; }
inline json json_of(const std::string& text) { return text; }
inline json json_of(const std::filesystem::path& path) { return path.string(); }
template <MaybeConst<std::string> Bytes>
json json_of(const BytesField<Bytes>& field) {
  return json::binary({field.bytes.begin(), field.bytes.end()});
}
template <NamedEnum T>
json json_of(T value) {
  return std::string(to_string(value));
}
template <MaybeConst<std::string> Text>
json json_of(const LaterText<Text>& field) {
  return field.text;
}
json json_of(const Value& value);
/// A list of [name, value] pairs, because every parser keeps the order of a list.
json json_of(const NamedValues& values);
template <HasFields T>
json json_of(const T& object);
template <class T>
json json_of(const std::vector<T>& items);
template <class T>
json json_of(const std::optional<T>& value);
template <class T>
json json_of(const std::map<std::string, T>& values);

inline json json_of(const Value& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

inline json json_of(const NamedValues& values) {
  json list = json::array();
  for (const auto& [name, value] : values) list.push_back({name, json_of(value)});
  return list;
}

template <HasFields T>
json json_of(const T& object) {
  json node = json::object();
  visit_fields(object, [&](const char* name, const auto& member) {
    if constexpr (kIsLater<std::remove_cvref_t<decltype(member)>>) {
      if (member.text.empty()) return;
    }
    node[name] = json_of(member);
  });
  return node;
}

template <class T>
json json_of(const std::vector<T>& items) {
  json list = json::array();
  for (const T& item : items) list.push_back(json_of(item));
  return list;
}

template <class T>
json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : json(nullptr);
}

template <class T>
json json_of(const std::map<std::string, T>& values) {
  json object = json::object();
  for (const auto& [name, value] : values) object[name] = json_of(value);
  return object;
}

// Reading
// -----------------------------------------------------------------------------------------------------

inline void require(bool holds, const char* expected) {
  if (!holds) throw JsonFieldError(std::string("expected ") + expected);
}

inline void read(const json& node, bool& value) {
  require(node.is_boolean(), "true or false");
  value = node.get<bool>();
}

template <std::integral T>
void read(const json& node, T& value) {
  require(node.is_number_integer(), "an integer");
  if (node.is_number_unsigned()) {
    const auto number = node.get<std::uint64_t>();
    require(std::in_range<T>(number), "an integer in range");
    value = static_cast<T>(number);
  } else {
    const auto number = node.get<std::int64_t>();
    require(std::in_range<T>(number), "an integer in range");
    value = static_cast<T>(number);
  }
}

inline void read(const json& node, double& value) {
  require(node.is_number(), "a number");
  value = node.get<double>();
}

inline void read(const json& node, std::string& text) {
  require(node.is_string(), "a text");
  text = node.get_ref<const std::string&>();
}

inline void read(const json& node, LaterText<std::string> field) {
  require(node.is_string(), "a text");
  field.text = node.get_ref<const std::string&>();
}

inline void read(const json& node, std::filesystem::path& path) {
  require(node.is_string(), "a path");
  path = node.get_ref<const std::string&>();
}

inline void read(const json& node, BytesField<std::string> field) {
  require(node.is_binary(), "bytes");
  const json::binary_t& bytes = node.get_binary();
  field.bytes.assign(bytes.begin(), bytes.end());
}

template <NamedEnum T>
void read(const json& node, T& value) {
  require(node.is_string(), "a name");
  std::optional<T> parsed;
  parse_text(node.get_ref<const std::string&>(), parsed);
  require(parsed.has_value(), "a known name");
  value = *parsed;
}

inline void read(const json& node, Value& value) {
  if (node.is_boolean()) {
    value = node.get<bool>();
  } else if (node.is_number_integer()) {
    std::int64_t number = 0;
    read(node, number);
    value = number;
  } else if (node.is_number_float()) {
    value = node.get<double>();
  } else {
    std::string text;
    read(node, text);
    value = std::move(text);
  }
}

inline void read(const json& node, NamedValues& values) {
  require(node.is_array(), "a list of names with values");
  values.clear();
  for (const json& row : node) {
    require(row.is_array() && row.size() == 2, "a name with its value");
    auto& [name, value] = values.emplace_back();
    read(row[0], name);
    read(row[1], value);
  }
}

template <HasFields T>
void read(const json& node, T& object);

template <class T>
void read(const json& node, std::vector<T>& items) {
  require(node.is_array(), "a list");
  items.clear();
  for (const json& item : node) read(item, items.emplace_back());
}

template <class T>
void read(const json& node, std::optional<T>& value) {
  value.reset();
  if (!node.is_null()) read(node, value.emplace());
}

template <class T>
void read(const json& node, std::map<std::string, T>& values) {
  require(node.is_object(), "an object");
  values.clear();
  for (const auto& [name, value] : node.items()) read(value, values[name]);
}

template <HasFields T>
void read(const json& node, T& object) {
  require(node.is_object(), "an object");
  visit_fields(object, [&](const char* name, auto&& member) {
    const auto found = node.find(name);
    if constexpr (kIsLater<std::remove_cvref_t<decltype(member)>>) {
      if (found == node.end()) {
        member.text.clear();
        return;
      }
    }
    if (found == node.end()) throw JsonFieldError(std::string("there is no ") + name);
    try {
      read(*found, member);
    } catch (const JsonFieldError& error) {
      throw JsonFieldError(std::string(name) + ": " + error.what());
    }
  });
}

}  // namespace warptune::model::encoding
