#pragma once

#include <cmath>
#include <vector>

namespace warptune::search::models {

/// How a model sees objectives: logarithms where all are positive, counted from the best and compressed, so
/// that the many slow configurations do not outweigh the differences among the fast ones: with
/// z = (y - best) / (median - best), z becomes log(1 + z), whose slope is 1 at the best. `compress` leaves
/// that out.
class ObjectiveScale {
 public:
  /// `objectives`: finite, at least one.
  explicit ObjectiveScale(const std::vector<double>& objectives, bool compress = true);

  /// 0 at the best; near it the share that an objective is worse (where not all are positive: the
  /// difference).
  double compressed(double objective) const;
  /// What one of `compressed` is as a share of the best objective; infinite where that is 0.
  double share() const { return logarithmic_ ? 1.0 : 1.0 / std::abs(best_); }
  /// Of the median from the best, before compression; never 0.
  double spread() const { return spread_; }

 private:
  bool compress_ = true;
  bool logarithmic_ = true;
  double best_ = 0.0;  // Its logarithm, or itself.
  double spread_ = 1.0;
};

}  // namespace warptune::search::models
