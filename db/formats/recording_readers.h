#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/formats/json_rows.h"
#include "model/recording.h"

namespace warptune::db::formats {

/// How the times of a file are read that does not state their unit.
struct UnstatedUnit {
  std::optional<std::string> unit;  ///< The unit that the user names.
  bool is_required = false;  ///< Without a unit, the file is refused. Otherwise milliseconds are assumed.
};

/// Reads another tuner's JSON file. It receives the rows one by one. Errors are `base::InputError`s with the
/// file's name.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// `members` are the members of the outermost object that came before the row.
  virtual void add(const std::string& name, recordings::Json& row, const recordings::Json& members) = 0;
  /// Returns one recording for each workload.
  virtual std::vector<model::Recording> finish(const JsonRemainder& remainder, const UnstatedUnit& unit) = 0;
};

/// A format of another tuner.
struct RecordingFormat {
  std::string_view name;     ///< The name in messages.
  std::string_view section;  ///< The member that has the rows. It identifies the format.
  std::unique_ptr<RowReader> (*make)(const std::filesystem::path& path);
};

/// All formats of other tuners.
std::span<const RecordingFormat> recording_formats();

/// The content of a file of another tuner.
struct ForeignFile {
  std::string_view format;  ///< Its name.
  std::vector<model::Recording> recordings;
};
/// Reads the text of a file in any of these formats. Errors are `base::InputError`s with `path`.
ForeignFile read_foreign_file(std::string text, const std::filesystem::path& path, const UnstatedUnit& unit);
/// Reads a file that has one workload.
model::Recording read_foreign_recording(std::string text, const std::filesystem::path& path);

// The functions that make the readers. Each reader has a file of its own.
std::unique_ptr<RowReader> make_kernel_tuner_cache_reader(const std::filesystem::path& path);
std::unique_ptr<RowReader> make_t4_reader(const std::filesystem::path& path);
std::unique_ptr<RowReader> make_ktt_reader(const std::filesystem::path& path);

/// The factor from `unit` ("milliseconds", "us", ...) to milliseconds. The misspelling "miliseconds" of some
/// files is accepted. Throws `base::InputError` with `path` for an unknown unit.
double milliseconds_per(const std::string& unit, const std::filesystem::path& path);
/// The same for a file that states its unit as `stated`, which may be empty. Throws `base::InputError` if it
/// states another unit than the user, and if a unit is required and nobody states one.
double milliseconds_per(const std::string& stated, const UnstatedUnit& unit,
                        const std::filesystem::path& path);

}  // namespace warptune::db::formats
