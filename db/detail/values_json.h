#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "search/gpu_description.h"
#include "search/measurement.h"
#include "search/value.h"

namespace warptune::db::detail {

using Json = nlohmann::ordered_json;

/// Files of other tuners count milliseconds.
constexpr double kNsPerMs = 1e6;

/// The most levels of arrays and objects in a file: whatever walks a tree does so by recursion.
constexpr int kDeepestJson = 64;
/// Throws the `base::InputError` for more than `kDeepestJson` levels.
[[noreturn]] void refuse_deep_json();
/// The most values of one line or one row: a tree of them takes up to some 300 MiB.
constexpr int kMostJsonValues = 1 << 22;
/// Throws the `base::InputError` for more than `kMostJsonValues`.
[[noreturn]] void refuse_large_json();
/// Parses a whole text. Throws `base::InputError` for more than `kDeepestJson` levels or `kMostJsonValues`,
/// before it makes a tree of them, and what `Json::parse` throws.
Json parse_json(std::string_view text);

/// Booleans, integers, reals and text as JSON's own; a real that JSON lacks as `{"real": "inf"}`.
Json to_json(const search::Value& value);
/// Null where a number is not finite.
Json finite_or_null(double value);
/// An object in the order given.
Json to_json(const search::NamedValues& values);
Json to_json(const search::GpuDescription& gpu);
Json to_json(const search::Environment& environment);
Json to_json(const search::Roofs& roofs);
Json to_json(const search::Work& work);
/// By the names that exported JSON has had since its first version (`search::visit_first_names`).
Json to_json_by_first_names(const search::Roofs& roofs);

/// The reverse. Throw `base::InputError` saying what was expected and found, without a position.
search::Value value_from_json(const Json& json);
search::NamedValues values_from_json(const Json& json);
search::GpuDescription gpu_from_json(const Json& json);
search::Environment environment_from_json(const Json& json);
/// What is missing is unknown, of the work FP32: recordings of earlier versions lack some members.
search::Roofs roofs_from_json(const Json& json);
/// The same by the names of recordings of version 1.
search::Roofs roofs_by_first_names(const Json& json);
search::Work work_from_json(const Json& json);

/// Strict readers of one member: `base::InputError` when it is missing or of another type.
const Json& member(const Json& object, const char* name);
std::int64_t integer_member(const Json& object, const char* name);
double real_member(const Json& object, const char* name);
std::string text_member(const Json& object, const char* name);
const Json& array_member(const Json& object, const char* name);
bool boolean_member(const Json& object, const char* name);

/// Compact text; bytes that are no UTF-8 become U+FFFD.
std::string compact(const Json& json);
/// The key of an assignment: compact JSON with the names sorted, so that `1`, `1.0`, `true` and `"1"` differ.
std::string canonical_key(search::NamedValues values);
/// Compact JSON in the order given.
std::string compact(const search::NamedValues& values);
/// Reads `compact`'s text.
search::NamedValues parse_values(const std::string& text);

}  // namespace warptune::db::detail
