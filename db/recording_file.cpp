#include "db/recording_file.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "db/detail/gzip_text.h"
#include "db/detail/recording_rows.h"
#include "db/detail/values_json.h"
#include "db/detail/zstd_text.h"
#include "db/formats/recording_readers.h"

namespace warptune::db {

namespace {

using detail::Json;

constexpr const char* kFormat = "warptune-recording";
// Version 2 has other names for the roofs.
constexpr std::int64_t kVersion = 2;

Json parameters_to_json(const std::vector<search::Parameter>& parameters) {
  Json all = Json::array();
  for (const search::Parameter& parameter : parameters) {
    Json values = Json::array();
    for (const search::Value& value : parameter.values) values.push_back(detail::to_json(value));
    all.push_back({{"name", parameter.name}, {"description", parameter.description}, {"values", values}});
  }
  return all;
}

Json constraints_to_json(const std::vector<search::Constraint>& constraints) {
  Json all = Json::array();
  for (const search::Constraint& constraint : constraints) {
    all.push_back({{"expression", constraint.expression.text()}, {"reason", constraint.reason}});
  }
  return all;
}

Json header_of(const search::Recording& recording, const detail::RowContext& context) {
  Json header = {{"format", kFormat},
                 {"version", kVersion},
                 {"subject",
                  {{"kernel", recording.subject.kernel},
                   {"kernel_hash", recording.subject.kernel_hash},
                   {"problem", detail::to_json(recording.subject.problem)},
                   {"gpu", detail::to_json(recording.subject.gpu)},
                   {"cache", std::string(search::to_string(recording.subject.cache))}}},
                 {"parameters", parameters_to_json(recording.parameters)},
                 {"constraints", constraints_to_json(recording.constraints)},
                 {"constants", detail::to_json(recording.constants)},
                 {"default", detail::to_json(recording.default_configuration)},
                 {"work", detail::to_json(recording.work)},
                 {"roofs", detail::to_json(recording.roofs)},
                 {"environment", detail::to_json(recording.environment)},
                 {"columns", detail::row_columns()},
                 {"counters", context.counters},
                 {"time_base_ms", context.time_base_ms},
                 {"rows", recording.measurements.size()}};
  if (recording.listed) header["listed"] = true;
  return header;
}

const Json& array_member(const Json& object, const char* name) {
  const Json& array = detail::member(object, name);
  if (!array.is_array()) {
    throw base::InputError(fmt::format("{}: expected an array, found {}", name, detail::compact(array)));
  }
  return array;
}

std::vector<std::string> names_member(const Json& object, const char* name) {
  std::vector<std::string> names;
  for (const Json& item : array_member(object, name)) {
    if (!item.is_string()) {
      throw base::InputError(fmt::format("{}: expected names, found {}", name, detail::compact(item)));
    }
    names.push_back(item.get<std::string>());
  }
  return names;
}

search::Parameter parameter_from_json(const Json& json, const base::SourcePosition& position) {
  search::Parameter parameter;
  parameter.name = detail::text_member(json, "name");
  parameter.description = detail::text_member(json, "description");
  parameter.position = position;
  for (const Json& value : array_member(json, "values")) {
    parameter.values.push_back(detail::value_from_json(value));
    if (search::type_of(parameter.values.back()) != search::type_of(parameter.values.front())) {
      throw base::InputError(fmt::format("parameter {}: expected values of one type, found {}",
                                         parameter.name, detail::compact(json["values"])));
    }
  }
  if (parameter.values.empty())
    throw base::InputError(fmt::format("parameter {} has no values", parameter.name));
  return parameter;
}

void read_space(const Json& header, const base::SourcePosition& position, search::Recording& recording) {
  std::set<std::string> names;
  for (const Json& json : array_member(header, "parameters")) {
    recording.parameters.push_back(parameter_from_json(json, position));
    if (!names.insert(recording.parameters.back().name).second) {
      throw base::InputError(fmt::format("parameter {} comes twice", recording.parameters.back().name));
    }
  }
  for (const Json& json : array_member(header, "constraints")) {
    recording.constraints.push_back({search::Expression::parse(detail::text_member(json, "expression")),
                                     detail::text_member(json, "reason")});
  }
  recording.listed = header.contains("listed") && detail::boolean_member(header, "listed");
  recording.constants = detail::values_from_json(detail::member(header, "constants"));
  recording.default_configuration = detail::values_from_json(detail::member(header, "default"));
}

// The version of the format.
std::int64_t check_format(const Json& header) {
  if (!header.is_object() || !header.contains("format") || header["format"] != kFormat) {
    throw base::InputError(fmt::format("expected a header with \"format\":\"{}\"", kFormat));
  }
  const std::int64_t version = detail::integer_member(header, "version");
  if (version > kVersion) {
    throw base::InputError(fmt::format(
        "written by a newer warptune: format version {}, this one knows up to {}", version, kVersion));
  }
  if (version < 1)
    throw base::InputError(fmt::format("version: expected 1 to {}, found {}", kVersion, version));
  if (names_member(header, "columns") != detail::row_columns()) {
    throw base::InputError(fmt::format("columns: expected {}", fmt::join(detail::row_columns(), ", ")));
  }
  return version;
}

search::Recording recording_from_header(const Json& header, const base::SourcePosition& position,
                                        detail::RowContext& context) {
  const std::int64_t version = check_format(header);
  search::Recording recording;
  const Json& subject = detail::member(header, "subject");
  recording.subject.kernel = detail::text_member(subject, "kernel");
  recording.subject.kernel_hash = detail::text_member(subject, "kernel_hash");
  recording.subject.problem = detail::values_from_json(detail::member(subject, "problem"));
  recording.subject.gpu = detail::gpu_from_json(detail::member(subject, "gpu"));
  if (subject.contains("cache")) {
    const std::string cache = detail::text_member(subject, "cache");
    const auto parsed = search::parse_cache_state(cache);
    if (!parsed) throw base::InputError(fmt::format("cache: expected cold or warm, found '{}'", cache));
    recording.subject.cache = *parsed;
  }
  read_space(header, position, recording);
  recording.work = detail::work_from_json(detail::member(header, "work"));
  const Json& roofs = detail::member(header, "roofs");
  recording.roofs = version == 1 ? detail::roofs_by_first_names(roofs) : detail::roofs_from_json(roofs);
  recording.environment = detail::environment_from_json(detail::member(header, "environment"));
  context.counters = names_member(header, "counters");
  context.time_base_ms = detail::integer_member(header, "time_base_ms");
  return recording;
}

// Runs `read` on a line's JSON; what it throws gets the file and the line.
template <class Read>
void with_line(const std::string& file, int number, const std::string& line, Read read) {
  const base::SourcePosition position{file, number, 0};
  try {
    read(detail::parse_json(line), position);
  } catch (const base::InputError& error) {
    throw base::InputError(error.what(), position);
  } catch (const nlohmann::json::exception& error) {
    throw base::InputError(fmt::format("expected JSON: {}", error.what()), position);
  }
}

search::Recording recording_of_text(const std::string& text, const std::string& file) {
  std::vector<std::string> lines = base::split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.empty()) throw base::InputError("expected a recording, found no text", {file, 0, 0});
  search::Recording recording;
  detail::RowContext context;
  std::int64_t rows = 0;
  with_line(file, 1, lines.front(), [&](const Json& header, const base::SourcePosition& position) {
    recording = recording_from_header(header, position, context);
    rows = detail::integer_member(header, "rows");
  });
  for (std::size_t i = 1; i < lines.size(); ++i) {
    with_line(file, static_cast<int>(i + 1), lines[i], [&](const Json& row, const base::SourcePosition&) {
      recording.measurements.push_back(detail::row_from_json(row, recording.parameters, context));
    });
  }
  if (rows != static_cast<std::int64_t>(lines.size() - 1)) {
    throw base::InputError(fmt::format("expected {} rows, found {}", rows, lines.size() - 1),
                           {file, static_cast<int>(lines.size()), 0});
  }
  return recording;
}

bool is_own(std::string_view text) { return base::first_line(text).find(kFormat) != std::string_view::npos; }

}  // namespace

void write_recording(const std::filesystem::path& path, const search::Recording& recording) {
  const detail::RowContext context = detail::row_context(recording);
  std::string text = detail::compact(header_of(recording, context)) + "\n";
  for (const search::Measurement& measurement : recording.measurements) {
    text += detail::compact(detail::row_to_json(measurement, recording, context)) + "\n";
  }
  base::write_file_atomically(path, detail::compress(text));
}

search::Recording read_recording(const std::filesystem::path& path) {
  return recording_of_text(detail::decompress(base::read_file(path), path), path.string());
}

search::Recording read_any_recording(const std::filesystem::path& path) {
  std::string bytes = base::read_file(path);
  if (bytes.empty())
    throw base::InputError("expected a recording, found an empty file", {path.string(), 0, 0});
  if (detail::is_gzip(bytes)) {
    bytes = detail::gunzip(bytes, path);
  } else if (detail::is_zstd(bytes)) {
    bytes = detail::decompress(bytes, path);
  }
  if (is_own(bytes)) return recording_of_text(bytes, path.string());
  return detail::read_foreign_recording(std::move(bytes), path);
}

}  // namespace warptune::db
