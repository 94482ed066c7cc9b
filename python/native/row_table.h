// Rows of a workload as columns, for programs that read Arrow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/recording.h"
#include "model/value.h"

namespace warptune::python::native {

/// A column in the memory layout of Arrow (https://arrow.apache.org/docs/format/Columnar.html).
struct Column {
  std::string name;
  std::string format;  ///< Arrow's name of the type: `b` boolean, `l` int64, `g` float64, `u` UTF-8.
  std::vector<std::uint8_t> valid;  ///< A bit for each row: whether the row has a value.
  std::int64_t null_count = 0;
  /// Only for text: the positions in `values` at which the text of each row begins, and the position at which
  /// the last text ends.
  std::vector<std::int32_t> offsets;
  std::vector<std::uint8_t> values;  ///< Bits, numbers or bytes of text.
};

struct RowTable {
  std::int64_t rows = 0;
  std::vector<Column> columns;
  std::vector<std::vector<double>> samples_ns;  ///< The samples of each row, in the order of measurement.
};

/// A column for each parameter, then what was measured (`status`, `median_ns`, ...), the resources, and the
/// counters that at least one row has. A value that a row lacks is null. Throws `base::InputError` if a
/// column has more than 2 GiB of text.
RowTable table_of(const model::Recording& recording);

/// Checks a table that was read from a pickle, whose bytes may be damaged. Throws `base::InputError` if the
/// columns do not have the layout of `Column`.
void require_layout(const RowTable& table);

/// The value of a row, or nothing if the row lacks it. `index` is below the number of rows.
std::optional<model::Value> value_at(const Column& column, std::size_t index);

}  // namespace warptune::python::native
