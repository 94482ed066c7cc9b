#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "db/formats/json_rows.h"
#include "model/recording.h"

namespace warptune::db::formats {

/// Reads another tuner's JSON file. It receives the rows one by one. Errors are `base::InputError`s with the
/// file's name.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// `members` are the members of the outermost object that came before the row.
  virtual void add(const std::string& name, recordings::Json& row, const recordings::Json& members) = 0;
  virtual model::Recording finish(const JsonRemainder& remainder) = 0;
};

/// A format of another tuner.
struct RecordingFormat {
  std::string_view name;     ///< The name in messages.
  std::string_view section;  ///< The member that has the rows. It identifies the format.
  std::unique_ptr<RowReader> (*make)(const std::filesystem::path& path);
};

/// All formats of other tuners.
std::span<const RecordingFormat> recording_formats();

/// Reads the text of a file in any of these formats. Errors are `base::InputError`s with `path`.
model::Recording read_foreign_recording(std::string text, const std::filesystem::path& path);

// The functions that make the readers. Each reader has a file of its own.
std::unique_ptr<RowReader> make_kernel_tuner_cache_reader(const std::filesystem::path& path);
std::unique_ptr<RowReader> make_t4_reader(const std::filesystem::path& path);
std::unique_ptr<RowReader> make_ktt_reader(const std::filesystem::path& path);

/// The factor from `unit` ("milliseconds", "us", ...) to milliseconds. The misspelling "miliseconds" of some
/// files is accepted. Throws `base::InputError` with `path` for an unknown unit.
double milliseconds_per(const std::string& unit, const std::filesystem::path& path);

}  // namespace warptune::db::formats
