#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "model/gpu_description.h"
#include "model/measurement.h"
#include "model/value.h"

namespace warptune::db::recordings {

using Json = nlohmann::ordered_json;

/// Files of other tuners count milliseconds.
constexpr double kNsPerMs = 1e6;

/// The most levels of arrays and objects in a file: whatever walks a tree does so by recursion.
constexpr int kDeepestJson = 64;
/// Throws the `base::InputError` for more than `kDeepestJson` levels.
[[noreturn]] void refuse_deep_json();
/// The most values of one line or one row: a tree of them takes up to some 300 MiB.
constexpr int kMaxJsonValues = 1 << 22;
/// Throws the `base::InputError` for more than `kMaxJsonValues`.
[[noreturn]] void refuse_large_json();
/// Parses a whole text. Throws `base::InputError` for more than `kDeepestJson` levels or `kMaxJsonValues`,
/// before it makes a tree of them, and what `Json::parse` throws.
Json parse_json(std::string_view text);

/// Booleans, integers, reals and text as JSON's own; a real that JSON lacks as `{"real": "inf"}`.
Json to_json(const model::Value& value);
/// Null where a number is not finite.
Json finite_or_null(double value);
/// An object in the order given.
Json to_json(const model::NamedValues& values);
Json to_json(const model::GpuDescription& gpu);
Json to_json(const model::Environment& environment);
Json to_json(const model::Roofs& roofs);
Json to_json(const model::Work& work);
/// By the names that exported JSON has had since its first version (`model::visit_first_names`).
Json to_json_by_first_names(const model::Roofs& roofs);

/// The reverse. Throw `base::InputError` saying what was expected and found, without a position.
model::Value value_from_json(const Json& json);
model::NamedValues values_from_json(const Json& json);
model::GpuDescription gpu_from_json(const Json& json);
model::Environment environment_from_json(const Json& json);
/// What is missing is unknown, of the work FP32: recordings of earlier versions lack some members.
model::Roofs roofs_from_json(const Json& json);
/// The same by the names of recordings of version 1.
model::Roofs roofs_by_first_names(const Json& json);
model::Work work_from_json(const Json& json);

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
std::string canonical_key(model::NamedValues values);
/// Compact JSON in the order given.
std::string compact(const model::NamedValues& values);
/// Reads `compact`'s text.
model::NamedValues parse_values(const std::string& text);

}  // namespace warptune::db::recordings
