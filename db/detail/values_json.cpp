#include "db/detail/values_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace warptune::db::detail {

namespace {

std::string shown(const Json& json) {
  std::string text = compact(json);
  constexpr std::size_t kMost = 60;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
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

Json to_json(const search::Value& value) { return std::visit(ValueWriter{}, value); }

Json to_json(const search::NamedValues& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = to_json(value);
  return json;
}

search::Value value_from_json(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (fits_int64(json)) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_object()) return special_real(json);
  wrong("a value", "a boolean, a number or text", json);
}

search::NamedValues values_from_json(const Json& json) {
  if (!json.is_object()) wrong("named values", "an object", json);
  search::NamedValues values;
  for (const auto& [name, value] : json.items()) values.emplace_back(name, value_from_json(value));
  return values;
}

Json to_json(const search::GpuDescription& gpu) {
  return {{"name", gpu.name},
          {"compute_major", gpu.compute_major},
          {"compute_minor", gpu.compute_minor},
          {"sm_count", gpu.sm_count},
          {"l2_bytes", gpu.l2_bytes},
          {"memory_bytes", gpu.memory_bytes},
          {"memory_bandwidth_bytes_per_s", gpu.memory_bandwidth_bytes_per_s},
          {"max_clock_khz", gpu.max_clock_khz},
          {"ecc", gpu.ecc},
          {"mig", gpu.mig},
          {"max_threads_per_block", gpu.max_threads_per_block},
          {"max_threads_per_sm", gpu.max_threads_per_sm},
          {"max_blocks_per_sm", gpu.max_blocks_per_sm},
          {"registers_per_sm", gpu.registers_per_sm},
          {"shared_bytes_per_block", gpu.shared_bytes_per_block},
          {"shared_bytes_per_block_optin", gpu.shared_bytes_per_block_optin},
          {"shared_bytes_per_sm", gpu.shared_bytes_per_sm},
          {"warp_size", gpu.warp_size},
          {"chip", gpu.chip}};
}

namespace {
int int_member(const Json& object, const char* name) {
  const std::int64_t value = integer_member(object, name);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    wrong(name, "an integer of 32 bits", member(object, name));
  }
  return static_cast<int>(value);
}
}  // namespace

search::GpuDescription gpu_from_json(const Json& json) {
  search::GpuDescription gpu;
  gpu.name = text_member(json, "name");
  gpu.compute_major = int_member(json, "compute_major");
  gpu.compute_minor = int_member(json, "compute_minor");
  gpu.sm_count = int_member(json, "sm_count");
  gpu.l2_bytes = integer_member(json, "l2_bytes");
  gpu.memory_bytes = integer_member(json, "memory_bytes");
  gpu.memory_bandwidth_bytes_per_s = integer_member(json, "memory_bandwidth_bytes_per_s");
  gpu.max_clock_khz = integer_member(json, "max_clock_khz");
  gpu.ecc = boolean_member(json, "ecc");
  gpu.mig = boolean_member(json, "mig");
  gpu.max_threads_per_block = integer_member(json, "max_threads_per_block");
  gpu.max_threads_per_sm = integer_member(json, "max_threads_per_sm");
  gpu.max_blocks_per_sm = integer_member(json, "max_blocks_per_sm");
  gpu.registers_per_sm = integer_member(json, "registers_per_sm");
  gpu.shared_bytes_per_block = integer_member(json, "shared_bytes_per_block");
  gpu.shared_bytes_per_block_optin = integer_member(json, "shared_bytes_per_block_optin");
  gpu.shared_bytes_per_sm = integer_member(json, "shared_bytes_per_sm");
  gpu.warp_size = int_member(json, "warp_size");
  gpu.chip = text_member(json, "chip");
  return gpu;
}

Json to_json(const search::Environment& environment) {
  return {
      {"warptune_version", environment.warptune_version}, {"driver_version", environment.driver_version},
      {"nvrtc_version", environment.nvrtc_version},       {"sm_clock_mhz", environment.sm_clock_mhz},
      {"memory_clock_mhz", environment.memory_clock_mhz}, {"throttle_reasons", environment.throttle_reasons}};
}

search::Environment environment_from_json(const Json& json) {
  search::Environment environment;
  environment.warptune_version = text_member(json, "warptune_version");
  environment.driver_version = int_member(json, "driver_version");
  environment.nvrtc_version = int_member(json, "nvrtc_version");
  environment.sm_clock_mhz = integer_member(json, "sm_clock_mhz");
  environment.memory_clock_mhz = integer_member(json, "memory_clock_mhz");
  environment.throttle_reasons = text_member(json, "throttle_reasons");
  return environment;
}

const Json& member(const Json& object, const char* name) {
  if (!object.is_object()) wrong(name, "an object around it", object);
  const auto found = object.find(name);
  if (found == object.end()) throw base::InputError(fmt::format("expected a member '{}', found none", name));
  return *found;
}

std::int64_t integer_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!fits_int64(json)) wrong(name, "an integer of 64 bits", json);
  return json.get<std::int64_t>();
}

double real_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!json.is_number()) wrong(name, "a number", json);
  return json.get<double>();
}

std::string text_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!json.is_string()) wrong(name, "text", json);
  return json.get<std::string>();
}

bool boolean_member(const Json& object, const char* name) {
  const Json& json = member(object, name);
  if (!json.is_boolean()) wrong(name, "true or false", json);
  return json.get<bool>();
}

std::string compact(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string canonical_key(search::NamedValues values) {
  std::sort(values.begin(), values.end());
  return compact(values);
}

std::string compact(const search::NamedValues& values) { return compact(to_json(values)); }

search::NamedValues parse_values(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw base::InputError(fmt::format("expected JSON, found '{}'", text));
  return values_from_json(json);
}

}  // namespace warptune::db::detail
