#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "db/recordings/recording_text.h"
#include "db/recordings/values_json.h"
#include "model/recording.h"

namespace warptune::db::formats {

/// Collects the rows of another tuner's file and makes a `listed` recording of them: its space consists of
/// its rows.
///
/// The values of a parameter are converted to one type. Booleans and integers together become integers.
/// Integers and reals together become reals. Texts that are numbers become numbers, because KTT writes
/// numbers as text into T4 files. Any other mixture becomes text. The values keep the declared order, and
/// values that no row has are left out. Without a declared order, numbers ascend, and texts have the order of
/// their first occurrence.
class ImportedRows {
 public:
  explicit ImportedRows(const std::filesystem::path& path) : path_(path), memory_(path) {}

  bool has_parameters() const { return !columns_.empty(); }
  /// Sets the parameters. Throws `base::InputError` if a name is repeated.
  void set_parameters(const std::vector<std::string>& names);
  /// Declares the order of a parameter's values. An unknown name has no effect. Null, arrays and objects
  /// among the values are ignored.
  void declare_values(const std::string& name, const recordings::Json& values);
  std::size_t parameter_count() const { return columns_.size(); }
  const std::string& parameter_name(std::size_t index) const { return columns_[index].name; }

  /// The position of parameter `name`; `parameter_count()` if it does not exist. The position `hint` is tried
  /// first.
  std::size_t position(const std::string& name, std::size_t hint) const;

  /// From now on, values of one type keep it: texts that are numbers stay texts.
  void keep_types() { keep_types_ = true; }

  /// Adds a row: one value for each parameter, in their order, and the rest of the measurement. Throws
  /// `base::InputError` with `row_name` if a value is missing (a null pointer), or if it is null, an array or
  /// an object. A measured row becomes a failed one if its time is not a positive number.
  void add(const std::vector<const recordings::Json*>& values, model::Measurement measurement,
           const std::string& row_name);

  /// Returns the recording. All times are multiplied by `time_factor`. If rows repeat a configuration, only
  /// the last one counts, and the log has a warning. So it has if a measured row becomes a failed one,
  /// because its time cannot be right (docs/replay.md, "Recordings it reads"). Throws `base::InputError` if
  /// there are no rows.
  model::Recording finish(double time_factor = 1.0);

 private:
  struct Column {
    std::string name;
    std::vector<model::Value> values;                 ///< In the order of their first occurrence.
    std::map<model::Value, std::uint32_t> positions;  ///< The position of each value in `values`.
    std::vector<model::Value> declared;               ///< In the order that the file declares.
  };
  struct FinalColumn {
    model::Parameter parameter;
    std::vector<std::uint32_t> index_of;  ///< Maps positions in `Column::values` to final indices.
  };
  using Cells = std::vector<std::uint32_t>;  ///< One row: positions in `Column::values`.

  FinalColumn finish_column(const Column& column) const;
  /// The numbers of the rows that count: the last one of each configuration.
  std::vector<std::size_t> without_repeats(const std::vector<FinalColumn>& columns) const;

  void warn_of_rows(std::size_t kept, std::uint64_t implausible_count) const;

  std::filesystem::path path_;
  recordings::RowMemory memory_;
  std::vector<Column> columns_;
  std::vector<Cells> cells_;
  std::vector<model::Measurement> measurements_;
  std::size_t invalid_time_count_ = 0;
  bool keep_types_ = false;
};

}  // namespace warptune::db::formats
