#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/recordings/values_json.h"
#include "model/recording.h"

namespace warptune::db::recordings {

/// What the rows of a recording refer to; the header object holds it.
struct RowContext {
  std::vector<std::string> counters;  ///< Names, in the order of the counters' column.
  std::int64_t time_base_ms = 0;      ///< Time stamps are relative to it.
};

/// Names of a row's columns, in order.
const std::vector<std::string>& row_columns();

RowContext row_context(const model::Recording& recording);

/// One compact JSON array. Times are whole tenths of a nanosecond, samples as differences to the median.
Json row_to_json(const model::Measurement& measurement, const model::Recording& recording,
                 const RowContext& context);

/// The reverse; throws `base::InputError` without a position.
model::Measurement row_from_json(const Json& row, const std::vector<model::Parameter>& parameters,
                                 const RowContext& context);

}  // namespace warptune::db::recordings
