// Writes and reads the header of a recording, in each version of the format.
#include "db/recordings/recording_header.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace warptune::db::recordings {

namespace {

// The version that is written. Version 2 renamed the roofs.
constexpr std::int64_t kVersion = 2;

Json parameters_to_json(const std::vector<model::Parameter>& parameters) {
  Json all = Json::array();
  for (const model::Parameter& parameter : parameters) {
    Json values = Json::array();
    for (const model::Value& value : parameter.values) values.push_back(to_json(value));
    all.push_back({{"name", parameter.name}, {"description", parameter.description}, {"values", values}});
  }
  return all;
}

Json constraints_to_json(const std::vector<model::Constraint>& constraints) {
  Json all = Json::array();
  for (const model::Constraint& constraint : constraints) {
    all.push_back({{"expression", constraint.expression.text()}, {"reason", constraint.reason}});
  }
  return all;
}

std::vector<std::string> names_member(const Json& object, const char* name) {
  std::vector<std::string> names;
  for (const Json& item : array_member(object, name)) {
    if (!item.is_string()) {
      throw base::InputError(fmt::format("{}: expected names as text, found {}", name, compact(item)));
    }
    names.push_back(item.get<std::string>());
  }
  return names;
}

model::Parameter parameter_from_json(const Json& json, const base::SourcePosition& position) {
  model::Parameter parameter;
  parameter.name = text_member(json, "name");
  parameter.description = text_member(json, "description");
  parameter.position = position;
  for (const Json& value : array_member(json, "values")) {
    parameter.values.push_back(value_from_json(value));
    if (model::type_of(parameter.values.back()) != model::type_of(parameter.values.front())) {
      throw base::InputError(
          fmt::format("parameter {}: expected values of one type, found a value of another type: {}",
                      parameter.name, compact(json["values"])));
    }
  }
  if (parameter.values.empty())
    throw base::InputError(fmt::format("parameter {} has no values", parameter.name));
  return parameter;
}

void read_space(const Json& header, const base::SourcePosition& position, model::Recording& recording) {
  std::set<std::string> names;
  for (const Json& json : array_member(header, "parameters")) {
    recording.parameters.push_back(parameter_from_json(json, position));
    if (!names.insert(recording.parameters.back().name).second) {
      throw base::InputError(fmt::format("parameter {} is listed twice", recording.parameters.back().name));
    }
  }
  for (const Json& json : array_member(header, "constraints")) {
    recording.constraints.push_back(
        {model::Expression::parse(text_member(json, "expression")), text_member(json, "reason")});
  }
  recording.listed = header.contains("listed") && boolean_member(header, "listed");
  recording.constants = values_from_json(member(header, "constants"));
  recording.default_configuration = values_from_json(member(header, "default"));
}

// Checks the format and returns its version.
std::int64_t check_format(const Json& header) {
  if (!header.is_object() || !header.contains("format") || header["format"] != kRecordingFormat) {
    throw base::InputError(fmt::format("expected a header with \"format\":\"{}\"", kRecordingFormat));
  }
  const std::int64_t version = integer_member(header, "version");
  if (version > kVersion) {
    throw base::InputError(fmt::format(
        "this recording was written by a newer warptune: format version {}, this one knows versions up to {}",
        version, kVersion));
  }
  if (version < 1)
    throw base::InputError(fmt::format("version: expected 1 to {}, found {}", kVersion, version));
  if (names_member(header, "columns") != row_columns()) {
    throw base::InputError(fmt::format("columns: expected {}", fmt::join(row_columns(), ", ")));
  }
  return version;
}

}  // namespace

Json header_of(const model::Recording& recording, const RowContext& context) {
  Json header = {{"format", kRecordingFormat},
                 {"version", kVersion},
                 {"subject",
                  {{"kernel", recording.workload.kernel},
                   {"kernel_hash", recording.workload.kernel_hash},
                   {"problem", to_json(recording.workload.problem)},
                   {"gpu", to_json(recording.workload.gpu)},
                   {"cache", std::string(model::to_string(recording.workload.cache))}}},
                 {"parameters", parameters_to_json(recording.parameters)},
                 {"constraints", constraints_to_json(recording.constraints)},
                 {"constants", to_json(recording.constants)},
                 {"default", to_json(recording.default_configuration)},
                 {"work", to_json(recording.work)},
                 {"roofs", to_json(recording.roofs)},
                 {"environment", to_json(recording.environment)},
                 {"columns", row_columns()},
                 {"counters", context.counters},
                 {"time_base_ms", context.time_base_ms},
                 {"rows", recording.measurements.size()}};
  if (recording.listed) header["listed"] = true;
  return header;
}

model::Recording recording_from_header(const Json& header, const base::SourcePosition& position,
                                       RowContext& context) {
  const std::int64_t version = check_format(header);
  model::Recording recording;
  const Json& workload = member(header, "subject");
  recording.workload.kernel = text_member(workload, "kernel");
  recording.workload.kernel_hash = text_member(workload, "kernel_hash");
  recording.workload.problem = values_from_json(member(workload, "problem"));
  recording.workload.gpu = gpu_from_json(member(workload, "gpu"));
  if (workload.contains("cache")) {
    const std::string cache = text_member(workload, "cache");
    const auto parsed = model::parse_cache_state(cache);
    if (!parsed)
      throw base::InputError(fmt::format("cache: expected cold, warm or unknown, found '{}'", cache));
    recording.workload.cache = *parsed;
  }
  read_space(header, position, recording);
  recording.work = work_from_json(member(header, "work"));
  const Json& roofs = member(header, "roofs");
  recording.roofs = version == 1 ? roofs_by_first_names(roofs) : roofs_from_json(roofs);
  recording.environment = environment_from_json(member(header, "environment"));
  context.counters = names_member(header, "counters");
  context.time_base_ms = integer_member(header, "time_base_ms");
  return recording;
}

}  // namespace warptune::db::recordings
