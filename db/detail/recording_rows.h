#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/detail/values_json.h"
#include "search/recording.h"

namespace warptune::db::detail {

/// What the rows of a recording refer to; the header object holds it.
struct RowContext {
  std::vector<std::string> counters;  ///< Names, in the order of the counters' column.
  std::int64_t time_base_ms = 0;      ///< Time stamps are relative to it.
};

/// Names of a row's columns, in order.
const std::vector<std::string>& row_columns();

RowContext row_context(const search::Recording& recording);

/// One compact JSON array. Times are whole tenths of a nanosecond, samples as differences to the median.
Json row_to_json(const search::Measurement& measurement, const search::Recording& recording,
                 const RowContext& context);

/// The reverse; throws `base::InputError` without a position.
search::Measurement row_from_json(const Json& row, const std::vector<search::Parameter>& parameters,
                                  const RowContext& context);

}  // namespace warptune::db::detail
