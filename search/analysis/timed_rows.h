#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/recording.h"

namespace warptune::search::analysis {

/// The rows of a recording that have a time, prepared for analysis. Dropped rows are included with their
/// estimates. Effects of parameters are measured on pairs of rows. Without the dropped rows only pairs of
/// fast configurations would be left, and every effect would look small.
struct TimedRows {
  const model::Recording* recording = nullptr;
  std::vector<model::Configuration> configurations;     ///< Indices of the parameters' values.
  std::vector<const model::Measurement*> measurements;  ///< Borrowed from the recording.
  std::vector<double> log_times;                        ///< The natural logarithm of the median in ns.
  std::size_t estimated = 0;                            ///< The number of dropped rows.

  std::size_t size() const { return measurements.size(); }
  /// The index of the fastest measured (not dropped) row, or std::nullopt if no row was measured.
  std::optional<std::size_t> best() const;
};

/// Selects the rows that have a time. Rows whose source ranks below the best source of the recording are left
/// out (`model::best_source`), because nobody has measured both under the same conditions. `recording` must
/// outlive the result. Throws `base::InputError` if a measurement does not fit the parameters.
TimedRows timed_rows(const model::Recording& recording);

/// The rows that take at most `ratio` times the best time. Returns all rows if none was measured.
TimedRows near_best(const TimedRows& rows, double ratio);

/// Whether a row has a time: it was measured, or dropped with an estimate.
bool has_time(const model::Measurement& measurement);

/// The first of the fastest measured (not dropped) rows of the best source, or null if no row was measured.
const model::Measurement* fastest_of(const model::Recording& recording);

}  // namespace warptune::search::analysis
