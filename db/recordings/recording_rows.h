#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/recordings/values_json.h"
#include "model/recording.h"

namespace warptune::db::recordings {

/// What all rows of a recording share. It is stored in the recording's header.
struct RowContext {
  std::vector<std::string> counters;  ///< The names of the counters, in the order of the rows' lists.
  std::int64_t time_base_ms = 0;      ///< The rows' time stamps are relative to it.
};

/// The names of a row's columns, in order.
const std::vector<std::string>& row_columns();

RowContext row_context(const model::Recording& recording);

/// Writes a row as a compact JSON array. Times are whole tenths of a nanosecond. The limits of the interval
/// and the samples are stored as differences to the median.
Json row_to_json(const model::Measurement& measurement, const model::Recording& recording,
                 const RowContext& context);

/// Reads a row that `row_to_json` wrote. Throws `base::InputError` without a position.
model::Measurement row_from_json(const Json& row, const std::vector<model::Parameter>& parameters,
                                 const RowContext& context);

}  // namespace warptune::db::recordings
