#pragma once

#include <cstddef>
#include <vector>

#include "model/recording.h"
#include "model/space.h"

namespace warptune::search::scoring {

/// What replaying one configuration gives.
struct ReplayRow {
  model::Status status = model::Status::kLaunchFailed;
  double objective_ns = 0.0;  ///< Where `status` is `kMeasured` or `kDropped` (an estimate then).
  double cost_s = 0.0;        ///< Compiling, measuring and all else that the evaluation took.
  const model::Measurement* measurement = nullptr;
};

/// A recording made ready for replaying: its rows by the index of a space that is exactly those rows, and the
/// figures that scores need. Safe to share between threads.
class RecordedSpace {
 public:
  /// `recording` must outlive it. The last of repeated rows counts; a time that is no positive number counts
  /// as a failure. Throws `base::InputError` when no configuration has a time.
  explicit RecordedSpace(const model::Recording& recording);

  const model::Recording& recording() const { return *recording_; }
  const model::Space& space() const { return space_; }
  /// `configuration` must be one of the space.
  const ReplayRow& row(const model::Configuration& configuration) const;
  const std::vector<ReplayRow>& rows() const { return rows_; }

  /// Times of the measured configurations, ascending, ns.
  const std::vector<double>& times_ns() const { return times_ns_; }
  double best_ns() const { return times_ns_.front(); }
  double median_ns() const;

  /// Over all configurations, s.
  double median_cost_s() const { return median_cost_s_; }
  /// What an evaluation of random search costs: mean over the measured, plus the share of the failing times
  /// their mean, s.
  double mean_cost_s() const { return mean_cost_s_; }

 private:
  const model::Recording* recording_;
  model::Space space_;
  std::vector<ReplayRow> rows_;  ///< By index of `space_`.
  std::vector<double> times_ns_;
  double median_cost_s_ = 0.0;
  double mean_cost_s_ = 0.0;
};

}  // namespace warptune::search::scoring
