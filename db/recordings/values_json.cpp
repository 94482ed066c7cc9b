#include "db/recordings/values_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "model/fields.h"

namespace warptune::db::recordings {

namespace {

std::string shown(const Json& json) {
  std::string text = compact(json);
  constexpr std::size_t kMaxBytes = 60;
  if (text.size() > kMaxBytes) text = text.substr(0, kMaxBytes) + "...";
  return text;
}

// The beginning of a text, up to the first byte that cannot be printed. Damaged texts may have hundreds of
// them.
std::string beginning(std::string_view text) {
  constexpr std::size_t kMaxBytes = 60;
  std::size_t end = 0;
  while (end < text.size() && end < kMaxBytes) {
    const std::size_t size = base::printable_size(text.substr(end));
    if (size == 0) break;
    end += size;
  }
  return std::string(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

[[noreturn]] void wrong(const std::string& what, const std::string& expected, const Json& found) {
  throw base::InputError(fmt::format("{}: expected {}, found {}", what, expected, shown(found)));
}

bool fits_int64(const Json& json) {
  if (!json.is_number_integer()) return false;
  return !json.is_number_unsigned() ||
         json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

double special_real(const Json& json) {
  if (json.size() == 1 && json.contains("real") && json["real"].is_string()) {
    const std::string text = json["real"].get<std::string>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
  }
  wrong("a value", "a boolean, a number or text", json);
}

struct ValueWriter {
  Json operator()(bool value) const { return value; }
  Json operator()(std::int64_t value) const { return value; }
  Json operator()(double value) const {
    if (std::isfinite(value)) return value;
    return Json{{"real", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"}};
  }
  Json operator()(const std::string& value) const { return value; }
};

}  // namespace

void refuse_deep_json() {
  throw base::InputError(fmt::format("expected at most {} levels of nested JSON, found more", kMaxJsonDepth));
}

void refuse_large_json() {
  throw base::InputError(
      fmt::format("expected at most {} values in a row of JSON, found more", kMaxJsonValues));
}

Json parse_json(std::string_view text) {
  int depth = 0;
  int values = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      if (++depth > kMaxJsonDepth) refuse_deep_json();
      if (++values > kMaxJsonValues) refuse_large_json();
    } else if (!quoted && c == ',') {
      if (++values > kMaxJsonValues) refuse_large_json();
    } else if (!quoted && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return Json::parse(text);
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json finite_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

Json to_json(const model::Value& value) { return std::visit(ValueWriter{}, value); }

Json to_json(const model::NamedValues& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = to_json(value);
  return json;
}

model::Value value_from_json(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (fits_int64(json)) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_object()) return special_real(json);
  wrong("a value", "a boolean, a number or text", json);
}

model::NamedValues values_from_json(const Json& json) {
  if (!json.is_object()) wrong("named values", "an object", json);
  model::NamedValues values;
  for (const auto& [name, value] : json.items()) values.emplace_back(name, value_from_json(value));
  return values;
}

namespace {

struct MemberWriter {
  Json& json;
  template <class T>
  void operator()(const char* name, const T& value) const {
    json[name] = value;
  }
  template <class T>
  void operator()(const char* name, const std::optional<T>& number) const {
    json[name] = model::stored_number(number);
  }
  void operator()(const char* name, model::ArithmeticUnit unit) const {
    json[name] = std::string(model::to_string(unit));
  }
};

struct MemberReader {
  const Json& json;
  void operator()(const char* name, std::string& value) const { value = text_member(json, name); }
  void operator()(const char* name, bool& value) const { value = boolean_member(json, name); }
  void operator()(const char* name, std::int64_t& value) const { value = integer_member(json, name); }
  void operator()(const char* name, int& value) const {
    const std::int64_t wide = integer_member(json, name);
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
      wrong(name, "an integer of 32 bits", member(json, name));
    }
    value = static_cast<int>(wide);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) const {
    T number{};
    (*this)(name, number);
    value = model::from_stored_number(number);
  }
};

// Reads members that may be missing. If a member is missing, the value keeps its default.
struct OptionalReader {
  const Json& json;
  void operator()(const char* name, double& value) const {
    if (json.contains(name)) value = real_member(json, name);
  }
  void operator()(const char* name, std::optional<double>& value) const {
    if (json.contains(name)) value = model::from_stored_number(real_member(json, name));
  }
  void operator()(const char* name, model::ArithmeticUnit& unit) const {
    if (!json.contains(name)) return;
    const std::string text = text_member(json, name);
    const auto parsed = model::parse_arithmetic_unit(text);
    if (!parsed)
      throw base::InputError(fmt::format("{}: expected fp32, fp64 or tensor, found '{}'", name, text));
    unit = *parsed;
  }
};

template <class T>
Json written(const T& object) {
  Json json;
  model::visit_fields(object, MemberWriter{json});
  return json;
}

// Reads all fields of a structure. `Reader` decides whether a member may be missing; those in `required` may
// not.
template <class T, class Reader>
T read_as(const Json& json, std::initializer_list<const char*> required = {}) {
  T object;
  for (const char* name : required) member(json, name);
  model::visit_fields(object, Reader{json});
  return object;
}

}  // namespace

Json to_json(const model::GpuDescription& gpu) { return written(gpu); }
Json to_json(const model::Environment& environment) { return written(environment); }
Json to_json(const model::Roofs& roofs) { return written(roofs); }
Json to_json(const model::Work& work) { return written(work); }

model::GpuDescription gpu_from_json(const Json& json) {
  return read_as<model::GpuDescription, MemberReader>(json);
}

model::Environment environment_from_json(const Json& json) {
  model::Environment environment;
  model::visit_fields(environment, [&](const std::string& name, auto& value) {
    // Earlier versions did not write the driver's release.
    if (name == "driver_release" && !json.contains(name)) return;
    MemberReader{json}(name.c_str(), value);
  });
  return environment;
}

model::Roofs roofs_from_json(const Json& json) {
  return read_as<model::Roofs, OptionalReader>(json, {"copy_bytes_per_s"});
}

model::Roofs roofs_by_first_names(const Json& json) {
  model::Roofs roofs;
  member(json, "memory_bytes_per_s");
  model::visit_first_names(roofs, OptionalReader{json});
  return roofs;
}

model::Work work_from_json(const Json& json) {
  // Every version has written these.
  return read_as<model::Work, OptionalReader>(json, {"flops", "bytes"});
}

const Json& member(const Json& object, const char* name) {
  if (!object.is_object()) wrong(name, "an object that contains it", object);
  const auto found = object.find(name);
  if (found == object.end()) throw base::InputError(fmt::format("expected a member '{}', found none", name));
  return *found;
}

std::int64_t integer_of(const Json& json, const char* name) {
  if (!fits_int64(json)) wrong(name, "an integer of 64 bits", json);
  return json.get<std::int64_t>();
}

std::int64_t integer_member(const Json& object, const char* name) {
  return integer_of(member(object, name), name);
}

double real_of(const Json& json, const char* name) {
  if (!json.is_number()) wrong(name, "a number", json);
  return json.get<double>();
}

double real_member(const Json& object, const char* name) { return real_of(member(object, name), name); }

std::string text_of(const Json& json, const char* name) {
  if (!json.is_string()) wrong(name, "text", json);
  return json.get<std::string>();
}

std::string text_member(const Json& object, const char* name) { return text_of(member(object, name), name); }

const Json& array_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!json.is_array()) wrong(name, "an array", json);
  return json;
}

bool boolean_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!json.is_boolean()) wrong(name, "true or false", json);
  return json.get<bool>();
}

std::string compact(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string canonical_key(model::NamedValues values) {
  std::sort(values.begin(), values.end());
  return compact(values);
}

std::string compact(const model::NamedValues& values) { return compact(to_json(values)); }

model::NamedValues parse_values(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw base::InputError(fmt::format("expected JSON, found '{}'", beginning(text)));
  return values_from_json(json);
}

}  // namespace warptune::db::recordings
