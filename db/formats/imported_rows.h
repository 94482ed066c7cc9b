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

/// Rows of another tuner's file on their way into a recording whose space is its rows (`listed`).
///
/// Values of a parameter are brought to one type: booleans beside integers become integers, integers beside
/// reals reals; text that spells numbers throughout becomes numbers (KTT writes T4 that way), else all
/// becomes text. A parameter keeps the declared order of its values, those in no row left out; without a
/// declaration numbers ascend and text comes as first met.
class ImportedRows {
 public:
  explicit ImportedRows(const std::filesystem::path& path) : path_(path), memory_(path) {}

  bool has_parameters() const { return !columns_.empty(); }
  /// Sets the parameters; throws `base::InputError` when one comes twice.
  void set_parameters(const std::vector<std::string>& names);
  /// The order of a parameter's values; without effect for an unknown name. Null, arrays and objects in it
  /// are passed over.
  void declare_values(const std::string& name, const recordings::Json& values);
  std::size_t parameter_count() const { return columns_.size(); }
  const std::string& parameter_name(std::size_t index) const { return columns_[index].name; }

  /// The position of parameter `name`, tried at `hint` first; parameter_count() when there is none.
  std::size_t position(const std::string& name, std::size_t hint) const;

  /// Adds a row: one value for each parameter, in their order (a null pointer where the row lacks one: throws
  /// `base::InputError` naming `row_name`, as for null, arrays and objects), and the rest of the measurement.
  /// A measured row whose time is not a positive number becomes a failed one.
  void add(const std::vector<const recordings::Json*>& values, model::Measurement measurement,
           const std::string& row_name);

  /// The recording: parameters, measurements with all times multiplied by `time_factor`. Of rows that repeat
  /// a configuration the last counts, with a warning in the log. Throws `base::InputError` when there is no
  /// row.
  model::Recording finish(double time_factor = 1.0);

 private:
  struct Column {
    std::string name;
    std::vector<model::Value> values;  ///< As first met.
    std::map<model::Value, std::uint32_t> positions;
    std::vector<model::Value> declared;
  };
  struct FinalColumn {
    model::Parameter parameter;
    std::vector<std::uint32_t> index_of;  ///< From a column's position to a value of the parameter.
  };
  using Cells = std::vector<std::uint32_t>;

  static FinalColumn finish_column(const Column& column);
  std::vector<std::size_t> without_repeats(const std::vector<FinalColumn>& columns) const;

  std::filesystem::path path_;
  recordings::RowMemory memory_;
  std::vector<Column> columns_;
  std::vector<Cells> cells_;
  std::vector<model::Measurement> measurements_;
  std::size_t bad_times_ = 0;
};

}  // namespace warptune::db::formats
