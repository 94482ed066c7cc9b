#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "db/formats/json_rows.h"
#include "model/recording.h"

namespace warptune::db::formats {

/// Reads another tuner's JSON file, told its rows one by one. Errors are `base::InputError`s that name the
/// file.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// `members` are those of the outermost object that came before.
  virtual void add(const std::string& name, recordings::Json& row, const recordings::Json& members) = 0;
  virtual model::Recording finish(const JsonRemainder& remainder) = 0;
};

/// One row of the table of formats.
struct RecordingFormat {
  std::string_view name;     ///< For people.
  std::string_view section;  ///< The member that holds its rows; tells the formats apart.
  std::unique_ptr<RowReader> (*make)(const std::filesystem::path& path);
};

/// All formats of others.
std::span<const RecordingFormat> recording_formats();

/// Reads the text of a file of any of them. Throws `base::InputError` naming `path`.
model::Recording read_foreign_recording(std::string text, const std::filesystem::path& path);

// The makers, one file each.
std::unique_ptr<RowReader> make_kernel_tuner_cache_reader(const std::filesystem::path& path);
std::unique_ptr<RowReader> make_t4_reader(const std::filesystem::path& path);
std::unique_ptr<RowReader> make_ktt_reader(const std::filesystem::path& path);

/// What turns a time in `unit` ("milliseconds", "us", ...; some files misspell "miliseconds") into
/// milliseconds; throws `base::InputError` naming `path` for an unknown one.
double milliseconds_per(const std::string& unit, const std::filesystem::path& path);

}  // namespace warptune::db::formats
