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
  std::vector<std::uint8_t> valid;  ///< A bit for each row: it has a value.
  std::int64_t null_count = 0;
  std::vector<std::int32_t> offsets;  ///< For text: where each row begins, and the end.
  std::vector<std::uint8_t> values;   ///< Bits, numbers or bytes of text.
};

struct RowTable {
  std::int64_t rows = 0;
  std::vector<Column> columns;
  std::vector<std::vector<double>> samples_ns;  ///< The samples of each row, in the order of measurement.
};

/// A column for each parameter, then what was measured (`status`, `median_ns`, ...), the resources, and the
/// counters that any row has. What a row lacks is null. Throws `base::InputError` when text exceeds 2 GiB.
RowTable table_of(const model::Recording& recording);

/// Throws `base::InputError` if the columns do not have the layout above: their bytes may be those of a
/// pickle.
void require_layout(const RowTable& table);

/// The value of a row, or nothing if the row lacks it. `index` is below the number of rows.
std::optional<model::Value> value_at(const Column& column, std::size_t index);

}  // namespace warptune::python::native
