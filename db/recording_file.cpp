#include "db/recording_file.h"

#include <fmt/format.h>

#include <exception>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "db/formats/recording_readers.h"
#include "db/recordings/gzip_text.h"
#include "db/recordings/json_error.h"
#include "db/recordings/recording_rows.h"
#include "db/recordings/recording_text.h"
#include "db/recordings/values_json.h"
#include "db/recordings/zstd_text.h"

namespace warptune::db {

namespace {

using recordings::Json;

constexpr const char* kFormat = "warptune-recording";
// Version 2 has other names for the roofs.
constexpr std::int64_t kVersion = 2;

Json parameters_to_json(const std::vector<model::Parameter>& parameters) {
  Json all = Json::array();
  for (const model::Parameter& parameter : parameters) {
    Json values = Json::array();
    for (const model::Value& value : parameter.values) values.push_back(recordings::to_json(value));
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

Json header_of(const model::Recording& recording, const recordings::RowContext& context) {
  Json header = {{"format", kFormat},
                 {"version", kVersion},
                 {"subject",
                  {{"kernel", recording.subject.kernel},
                   {"kernel_hash", recording.subject.kernel_hash},
                   {"problem", recordings::to_json(recording.subject.problem)},
                   {"gpu", recordings::to_json(recording.subject.gpu)},
                   {"cache", std::string(model::to_string(recording.subject.cache))}}},
                 {"parameters", parameters_to_json(recording.parameters)},
                 {"constraints", constraints_to_json(recording.constraints)},
                 {"constants", recordings::to_json(recording.constants)},
                 {"default", recordings::to_json(recording.default_configuration)},
                 {"work", recordings::to_json(recording.work)},
                 {"roofs", recordings::to_json(recording.roofs)},
                 {"environment", recordings::to_json(recording.environment)},
                 {"columns", recordings::row_columns()},
                 {"counters", context.counters},
                 {"time_base_ms", context.time_base_ms},
                 {"rows", recording.measurements.size()}};
  if (recording.listed) header["listed"] = true;
  return header;
}

std::vector<std::string> names_member(const Json& object, const char* name) {
  std::vector<std::string> names;
  for (const Json& item : recordings::array_member(object, name)) {
    if (!item.is_string()) {
      throw base::InputError(fmt::format("{}: expected names, found {}", name, recordings::compact(item)));
    }
    names.push_back(item.get<std::string>());
  }
  return names;
}

model::Parameter parameter_from_json(const Json& json, const base::SourcePosition& position) {
  model::Parameter parameter;
  parameter.name = recordings::text_member(json, "name");
  parameter.description = recordings::text_member(json, "description");
  parameter.position = position;
  for (const Json& value : recordings::array_member(json, "values")) {
    parameter.values.push_back(recordings::value_from_json(value));
    if (model::type_of(parameter.values.back()) != model::type_of(parameter.values.front())) {
      throw base::InputError(fmt::format("parameter {}: expected values of one type, found {}",
                                         parameter.name, recordings::compact(json["values"])));
    }
  }
  if (parameter.values.empty())
    throw base::InputError(fmt::format("parameter {} has no values", parameter.name));
  return parameter;
}

void read_space(const Json& header, const base::SourcePosition& position, model::Recording& recording) {
  std::set<std::string> names;
  for (const Json& json : recordings::array_member(header, "parameters")) {
    recording.parameters.push_back(parameter_from_json(json, position));
    if (!names.insert(recording.parameters.back().name).second) {
      throw base::InputError(fmt::format("parameter {} comes twice", recording.parameters.back().name));
    }
  }
  for (const Json& json : recordings::array_member(header, "constraints")) {
    recording.constraints.push_back({model::Expression::parse(recordings::text_member(json, "expression")),
                                     recordings::text_member(json, "reason")});
  }
  recording.listed = header.contains("listed") && recordings::boolean_member(header, "listed");
  recording.constants = recordings::values_from_json(recordings::member(header, "constants"));
  recording.default_configuration = recordings::values_from_json(recordings::member(header, "default"));
}

// The version of the format.
std::int64_t check_format(const Json& header) {
  if (!header.is_object() || !header.contains("format") || header["format"] != kFormat) {
    throw base::InputError(fmt::format("expected a header with \"format\":\"{}\"", kFormat));
  }
  const std::int64_t version = recordings::integer_member(header, "version");
  if (version > kVersion) {
    throw base::InputError(fmt::format(
        "written by a newer warptune: format version {}, this one knows up to {}", version, kVersion));
  }
  if (version < 1)
    throw base::InputError(fmt::format("version: expected 1 to {}, found {}", kVersion, version));
  if (names_member(header, "columns") != recordings::row_columns()) {
    throw base::InputError(fmt::format("columns: expected {}", fmt::join(recordings::row_columns(), ", ")));
  }
  return version;
}

model::Recording recording_from_header(const Json& header, const base::SourcePosition& position,
                                       recordings::RowContext& context) {
  const std::int64_t version = check_format(header);
  model::Recording recording;
  const Json& subject = recordings::member(header, "subject");
  recording.subject.kernel = recordings::text_member(subject, "kernel");
  recording.subject.kernel_hash = recordings::text_member(subject, "kernel_hash");
  recording.subject.problem = recordings::values_from_json(recordings::member(subject, "problem"));
  recording.subject.gpu = recordings::gpu_from_json(recordings::member(subject, "gpu"));
  if (subject.contains("cache")) {
    const std::string cache = recordings::text_member(subject, "cache");
    const auto parsed = model::parse_cache_state(cache);
    if (!parsed) throw base::InputError(fmt::format("cache: expected cold or warm, found '{}'", cache));
    recording.subject.cache = *parsed;
  }
  read_space(header, position, recording);
  recording.work = recordings::work_from_json(recordings::member(header, "work"));
  const Json& roofs = recordings::member(header, "roofs");
  recording.roofs =
      version == 1 ? recordings::roofs_by_first_names(roofs) : recordings::roofs_from_json(roofs);
  recording.environment = recordings::environment_from_json(recordings::member(header, "environment"));
  context.counters = names_member(header, "counters");
  context.time_base_ms = recordings::integer_member(header, "time_base_ms");
  return recording;
}

// Runs `read` on a line's JSON; what it throws gets the file and the line.
template <class Read>
void with_line(const std::string& file, int number, std::string_view line, Read read) {
  const base::SourcePosition position{file, number, 0};
  try {
    read(recordings::parse_json(line), position);
  } catch (const base::InputError& error) {
    throw base::InputError(error.what(), position);
  } catch (const nlohmann::json::exception& error) {
    recordings::refuse_json(error, position);
  }
}

// Reads a recording of warptune's own as its text comes, so that the text need not be in memory. What is
// wrong with a line is said at the end: a damaged file is rather told as that.
class RecordingLines {
 public:
  explicit RecordingLines(const std::filesystem::path& path) : file_(path.string()), memory_(path) {}

  void take(std::string_view piece) {
    if (wrong_) return;
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos && !wrong_;
         end = piece.find('\n')) {
      line_ += piece.substr(0, end);
      piece.remove_prefix(end + 1);
      end_line();
    }
    line_ += piece;
  }

  model::Recording finish() {
    if (!wrong_ && !line_.empty()) end_line();
    if (wrong_) std::rethrow_exception(wrong_);
    if (lines_ == 0) throw base::InputError("expected a recording, found no text", {file_, 0, 0});
    if (rows_ != lines_ - 1)
      throw base::InputError(fmt::format("expected {} rows, found {}", rows_, lines_ - 1),
                             {file_, lines_, 0});
    return std::move(recording_);
  }

 private:
  void end_line() {
    const std::string line = std::exchange(line_, "");
    ++lines_;
    try {
      with_line(file_, lines_, line, [&](const Json& json, const base::SourcePosition& position) {
        if (lines_ == 1) return read_header(json, position);
        recording_.measurements.push_back(recordings::row_from_json(json, recording_.parameters, context_));
        memory_.add(recording_.measurements.back());
      });
    } catch (const base::InputError&) {
      wrong_ = std::current_exception();
    }
  }

  void read_header(const Json& header, const base::SourcePosition& position) {
    recording_ = recording_from_header(header, position, context_);
    rows_ = recordings::integer_member(header, "rows");
  }

  std::string file_;
  recordings::RowMemory memory_;
  std::string line_;  ///< What has come of it.
  int lines_ = 0;
  std::int64_t rows_ = 0;  ///< That the header promises.
  model::Recording recording_;
  recordings::RowContext context_;
  std::exception_ptr wrong_;
};

// Takes a text of any format: the first line of warptune's own says so.
class AnyRecording {
 public:
  explicit AnyRecording(const std::filesystem::path& path) : path_(path), own_(path) {}

  void take(std::string_view piece) {
    if (is_own_) return own_.take(piece);
    text_ += piece;
    if (!has_first_line_ && piece.find('\n') != std::string_view::npos) begin();
  }

  model::Recording finish() {
    if (!has_first_line_) begin();
    return is_own_ ? own_.finish() : formats::read_foreign_recording(std::move(text_), path_);
  }

 private:
  void begin() {
    has_first_line_ = true;
    if (base::first_line(text_).find(kFormat) == std::string_view::npos) return;
    is_own_ = true;
    own_.take(text_);
    text_.clear();
  }

  std::filesystem::path path_;
  RecordingLines own_;
  bool has_first_line_ = false;
  bool is_own_ = false;
  std::string text_;  ///< Of another's, or until the first line is whole.
};

}  // namespace

void write_recording(const std::filesystem::path& path, const model::Recording& recording) {
  const recordings::RowContext context = recordings::row_context(recording);
  std::string text = recordings::compact(header_of(recording, context)) + "\n";
  for (const model::Measurement& measurement : recording.measurements) {
    text += recordings::compact(recordings::row_to_json(measurement, recording, context)) + "\n";
  }
  base::write_file_atomically(path, recordings::compress(text));
}

model::Recording read_recording(const std::filesystem::path& path) {
  const std::string bytes = recordings::read_recording_bytes(path);
  RecordingLines lines(path);
  recordings::decompress(bytes, path,
                         recordings::bounded(path, [&](std::string_view piece) { lines.take(piece); }));
  return lines.finish();
}

model::Recording read_any_recording(const std::filesystem::path& path) {
  const std::string bytes = recordings::read_recording_bytes(path);
  if (bytes.empty())
    throw base::InputError("expected a recording, found an empty file", {path.string(), 0, 0});
  AnyRecording recording(path);
  const recordings::TextSink take =
      recordings::bounded(path, [&](std::string_view piece) { recording.take(piece); });
  if (recordings::is_gzip(bytes)) {
    recordings::gunzip(bytes, path, take);
  } else if (recordings::is_zstd(bytes)) {
    recordings::decompress(bytes, path, take);
  } else {
    take(bytes);
  }
  return recording.finish();
}

}  // namespace warptune::db
