#include "db/recording_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/streams/gzip_text.h"
#include "base/streams/zstd_text.h"
#include "base/text.h"
#include "db/formats/recording_readers.h"
#include "db/formats/t4_workloads.h"
#include "db/recordings/json_error.h"
#include "db/recordings/recording_header.h"
#include "db/recordings/recording_rows.h"
#include "db/recordings/recording_text.h"
#include "db/recordings/values_json.h"

namespace warptune::db {

namespace {

using recordings::Json;

constexpr const char* kWhat = "recording";  // What messages call the file.

// Parses a line and runs `read` on its JSON. Errors of the parser and of `read` get the file and the line.
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

// Reads a recording of warptune's own format piece by piece, so that its whole text need not be in memory. An
// error in a line is kept until `finish` throws it. If the compressed file is damaged, unpacking it throws
// before that, and the user sees the cause.
class RecordingLines {
 public:
  explicit RecordingLines(const std::filesystem::path& path) : file_(path.string()), row_memory_(path) {}

  void take(std::string_view piece) {
    if (line_error_) return;
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos && !line_error_;
         end = piece.find('\n')) {
      line_ += piece.substr(0, end);
      piece.remove_prefix(end + 1);
      end_line();
    }
    line_ += piece;
  }

  model::Recording finish() {
    const bool ends_within_a_line = !line_.empty();
    if (!line_error_ && ends_within_a_line) end_line();
    const int whole_rows = line_count_ - 1 - (line_error_ ? 1 : 0);
    // A row with an error is reported as such, unless it is the incomplete last line of a file that was cut
    // off.
    if (line_count_ > 1 && whole_rows < expected_rows_ &&
        (!line_error_ || (ends_within_a_line && !is_json_))) {
      throw base::InputError(fmt::format("the recording is cut off: its first line says {}, and it has {}",
                                         base::counted(static_cast<std::uint64_t>(expected_rows_), "row"),
                                         base::counted(static_cast<std::uint64_t>(whole_rows), "whole one")),
                             {file_, line_count_, 0});
    }
    if (line_error_) std::rethrow_exception(line_error_);
    if (line_count_ == 0) throw base::InputError("expected a recording, found no text", {file_, 0, 0});
    if (expected_rows_ != line_count_ - 1)
      throw base::InputError(
          fmt::format("expected {}, found {}",
                      base::counted(static_cast<std::uint64_t>(expected_rows_), "row"), line_count_ - 1),
          {file_, line_count_, 0});
    return std::move(recording_);
  }

 private:
  void end_line() {
    const std::string line = std::exchange(line_, "");
    ++line_count_;
    is_json_ = false;
    try {
      with_line(file_, line_count_, line, [&](const Json& json, const base::SourcePosition& position) {
        is_json_ = true;
        if (line_count_ == 1) return read_header(json, position);
        recording_.measurements.push_back(recordings::row_from_json(json, recording_.parameters, context_));
        // Throws if the rows read so far take too much memory.
        row_memory_.add(recording_.measurements.back());
      });
    } catch (const base::InputError&) {
      line_error_ = std::current_exception();
    }
  }

  void read_header(const Json& header, const base::SourcePosition& position) {
    recording_ = recordings::recording_from_header(header, position, context_);
    expected_rows_ = recordings::integer_member(header, "rows");
  }

  std::string file_;
  recordings::RowMemory row_memory_;
  std::string line_;  ///< The part of the current line that has been read.
  int line_count_ = 0;
  bool is_json_ = false;            ///< The last line was complete JSON.
  std::int64_t expected_rows_ = 0;  ///< The number that the header states.
  model::Recording recording_;
  recordings::RowContext context_;
  std::exception_ptr line_error_;  ///< The first error in a line. No further lines are read then.
};

// Reads a recording of any format. The first line of warptune's own recordings has the name of their format.
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

  ImportedFile finish_import(const formats::UnstatedUnit& unit) {
    if (!has_first_line_) begin();
    ImportedFile file;
    if (is_own_) {
      file.format = "warptune recording";
      file.recordings.push_back(own_.finish());
    } else {
      formats::ForeignFile foreign = formats::read_foreign_file(std::move(text_), path_, unit);
      file.format = std::string(foreign.format);
      file.recordings = std::move(foreign.recordings);
    }
    file.names_workloads = std::all_of(
        file.recordings.begin(), file.recordings.end(),
        [](const model::Recording& recording) { return !recording.workload.kernel_hash.empty(); });
    return file;
  }

 private:
  void begin() {
    has_first_line_ = true;
    if (text_.starts_with("SQLite format 3"))
      throw base::InputError("expected a recording, found a database; `warptune db merge FILE` adds its rows",
                             {path_.string(), 0, 0});
    if (base::first_line(text_).find(recordings::kRecordingFormat) == std::string_view::npos) return;
    is_own_ = true;
    own_.take(text_);
    text_.clear();
  }

  std::filesystem::path path_;
  RecordingLines own_;
  bool has_first_line_ = false;
  bool is_own_ = false;
  std::string text_;  ///< Another tuner's file, or the beginning of the first line.
};

}  // namespace

void write_recording(const std::filesystem::path& path, const model::Recording& recording) {
  const recordings::RowContext context = recordings::row_context(recording);
  std::string text = recordings::compact(recordings::header_of(recording, context)) + "\n";
  for (const model::Measurement& measurement : recording.measurements) {
    text += recordings::compact(recordings::row_to_json(measurement, recording, context)) + "\n";
  }
  base::write_file_atomically(path, base::streams::zstd_compress(text));
}

model::Recording read_recording(const std::filesystem::path& path) {
  const std::string bytes = recordings::read_recording_bytes(path);
  RecordingLines lines(path);
  base::streams::zstd_decompress(
      bytes, path, kWhat, recordings::bounded(path, [&](std::string_view piece) { lines.take(piece); }));
  return lines.finish();
}

namespace {

AnyRecording any_recording(const std::filesystem::path& path) {
  const std::string bytes = recordings::read_recording_bytes(path);
  if (bytes.empty())
    throw base::InputError("expected a recording, found an empty file", {path.string(), 0, 0});
  AnyRecording recording(path);
  const base::streams::TextSink take =
      recordings::bounded(path, [&](std::string_view piece) { recording.take(piece); });
  if (base::streams::is_gzip(bytes)) {
    base::streams::gunzip(bytes, path, take);
  } else if (base::streams::is_zstd(bytes)) {
    base::streams::zstd_decompress(bytes, path, kWhat, take);
  } else {
    take(bytes);
  }
  return recording;
}

}  // namespace

model::Recording read_any_recording(const std::filesystem::path& path) {
  return any_recording(path).finish();
}

ImportedFile read_file_to_import(const std::filesystem::path& path,
                                 const std::optional<std::string>& time_unit) {
  return any_recording(path).finish_import({time_unit, true});
}

std::string rows_as_t4(const std::vector<model::Recording>& recordings) {
  return formats::rows_as_t4(recordings);
}

}  // namespace warptune::db
