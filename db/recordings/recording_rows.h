#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/recordings/values_json.h"
#include "model/recording.h"

namespace warptune::db::recordings {

/// What the rows of a recording refer to. It is a part of the header object.
struct RowContext {
  std::vector<std::string> counters;  ///< The names of the counters, in the order of the rows' lists.
  std::int64_t time_base_ms = 0;      ///< The rows' time stamps are relative to it.
};

/// The names of a row's columns, in order.
const std::vector<std::string>& row_columns();

RowContext row_context(const model::Recording& recording);

/// Writes a row as a compact JSON array. Times are in whole tenths of a nanosecond. Samples are differences
/// to the median.
Json row_to_json(const model::Measurement& measurement, const model::Recording& recording,
                 const RowContext& context);

/// Reads such a row. Throws `base::InputError` without a position.
model::Measurement row_from_json(const Json& row, const std::vector<model::Parameter>& parameters,
                                 const RowContext& context);

}  // namespace warptune::db::recordings
