#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/recording.h"

namespace warptune::search::analysis {

/// The rows of a recording that have a time, made ready for analysis. Dropped ones take part with their
/// estimate: without them only pairs of fast configurations would be left, and every effect would look small.
struct TimedRows {
  const model::Recording* recording = nullptr;
  std::vector<model::Configuration> configurations;     ///< Indices into the parameters' values.
  std::vector<const model::Measurement*> measurements;  ///< Of the recording.
  std::vector<double> log_times;                        ///< Natural logarithm of the median in ns.
  std::size_t estimated = 0;                            ///< Those that were dropped.

  std::size_t size() const { return measurements.size(); }
  /// Of the measured (not dropped) with the least time; nothing when there is none.
  std::optional<std::size_t> best() const;
};

/// `recording` must outlive what is returned. Throws `base::InputError` when a measurement does not fit the
/// parameters.
TimedRows timed_rows(const model::Recording& recording);

/// Those that take at most `ratio` times the best's time; all where nothing was measured.
TimedRows near_best(const TimedRows& rows, double ratio);

/// Whether it has a time: measured, or dropped with an estimate.
bool has_time(const model::Measurement& measurement);

/// Of the measured (not dropped) the one with the least time, the first of several; null when there is none.
const model::Measurement* fastest_of(const model::Recording& recording);

}  // namespace warptune::search::analysis
