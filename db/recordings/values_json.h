#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "model/gpu_description.h"
#include "model/measurement.h"
#include "model/value.h"

namespace warptune::db::recordings {

using Json = nlohmann::ordered_json;

/// Converts times of other tuners' files, which are in milliseconds.
constexpr double kNsPerMs = 1e6;

/// The maximum depth of nested arrays and objects in a file. Trees are visited by recursion, so a deeper one
/// could exhaust the stack.
constexpr int kMaxJsonDepth = 64;
/// Throws `base::InputError` for more than `kMaxJsonDepth` levels.
[[noreturn]] void refuse_deep_json();
/// The maximum number of values in one line or one row. A tree of this size takes up to about 300 MiB.
constexpr int kMaxJsonValues = 1 << 22;
/// Throws `base::InputError` for more than `kMaxJsonValues` values.
[[noreturn]] void refuse_large_json();
/// Parses a whole text. Throws `base::InputError` for more than `kMaxJsonDepth` levels or `kMaxJsonValues`
/// values, before it builds a tree in memory. It also throws what `Json::parse` throws.
Json parse_json(std::string_view text);

/// Booleans, integers, reals and text become JSON's own types. A real that JSON cannot represent becomes
/// `{"real": "inf"}`.
Json to_json(const model::Value& value);
/// The number, or null if it is not finite.
Json finite_or_null(double value);
Json finite_or_null(const std::optional<double>& value);
/// An object with the values in the given order.
Json to_json(const model::NamedValues& values);
Json to_json(const model::GpuDescription& gpu);
Json to_json(const model::Environment& environment);
Json to_json(const model::Roofs& roofs);
Json to_json(const model::Work& work);

/// The functions below read what the ones above write. They throw `base::InputError` without a position. The
/// error says what was expected and what was found.
model::Value value_from_json(const Json& json);
model::NamedValues values_from_json(const Json& json);
model::GpuDescription gpu_from_json(const Json& json);
model::Environment environment_from_json(const Json& json);
/// Recordings of earlier versions lack some members of roofs and of work. These members stay unknown, and the
/// arithmetic unit of the work is then FP32.
model::Roofs roofs_from_json(const Json& json);
/// Reads roofs with the names of version 1 of recordings.
model::Roofs roofs_by_first_names(const Json& json);
model::Work work_from_json(const Json& json);

/// Readers of one value. They throw `base::InputError` with `name` if it has another type.
std::int64_t integer_of(const Json& json, const char* name);
double real_of(const Json& json, const char* name);
std::string text_of(const Json& json, const char* name);

/// Readers of one member. They throw `base::InputError` if it is missing or has another type.
const Json& member(const Json& object, const char* name);
std::int64_t integer_member(const Json& object, const char* name);
double real_member(const Json& object, const char* name);
std::string text_member(const Json& object, const char* name);
const Json& array_member(const Json& object, const char* name);
bool boolean_member(const Json& object, const char* name);

/// Compact text. Bytes that are not valid UTF-8 become U+FFFD.
std::string compact(const Json& json);
/// The text that identifies a configuration or a problem: compact JSON with the names sorted. The values `1`,
/// `1.0`, `true` and `"1"` give different texts.
std::string canonical_key(model::NamedValues values);
/// Compact JSON with the values in the given order.
std::string compact(const model::NamedValues& values);
/// Reads named values from the text that `compact` writes. Throws `base::InputError` without a position.
model::NamedValues parse_values(const std::string& text);

}  // namespace warptune::db::recordings
