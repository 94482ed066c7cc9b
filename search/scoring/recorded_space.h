#pragma once

#include <cstddef>
#include <vector>

#include "model/recording.h"
#include "model/space.h"

namespace warptune::search::scoring {

/// The recorded outcome of one configuration.
struct ReplayRow {
  model::Status status = model::Status::kLaunchFailed;
  double objective_ns = 0.0;  ///< Valid if `status` is `kMeasured`, or `kDropped` (then it is an estimate).
  double cost_s = 0.0;        ///< The time that compiling and measuring took.
  const model::Measurement* measurement = nullptr;
};

/// A recording that is prepared for replay. Its space contains exactly the recorded configurations. The
/// object is immutable, and threads may share it.
class RecordedSpace {
 public:
  /// `recording` must outlive the object. If a configuration occurs in several rows, the last one counts. A
  /// time that is not positive and finite counts as a failure. Throws `base::InputError` if no configuration
  /// has a time.
  explicit RecordedSpace(const model::Recording& recording);

  const model::Recording& recording() const { return *recording_; }
  const model::Space& space() const { return space_; }
  /// The row of a configuration, which must be in the space.
  const ReplayRow& row(const model::Configuration& configuration) const;
  const std::vector<ReplayRow>& rows() const { return rows_; }

  /// The times of the measured configurations in ns, in ascending order.
  const std::vector<double>& times_ns() const { return times_ns_; }
  double best_ns() const { return times_ns_.front(); }
  double median_ns() const;

  /// The median cost of an evaluation in s, over all configurations.
  double median_cost_s() const { return median_cost_s_; }
  /// The cost of an evaluation of random search in s. It is the mean cost of the measured configurations,
  /// plus the share of failing ones times the mean cost of a failing one.
  double mean_cost_s() const { return mean_cost_s_; }

 private:
  const model::Recording* recording_;
  model::Space space_;
  std::vector<ReplayRow> rows_;  ///< In the order of the indices of `space_`.
  std::vector<double> times_ns_;
  double median_cost_s_ = 0.0;
  double mean_cost_s_ = 0.0;
};

}  // namespace warptune::search::scoring
