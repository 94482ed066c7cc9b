#pragma once

#include <cmath>
#include <vector>

namespace warptune::search::models {

/// The transformation of objectives for a model. The many slow configurations would otherwise outweigh the
/// differences among the fast ones.
///
/// If all objectives are positive, y is their logarithm, else y is the objective. With s = median(y) -
/// best(y), the result is s log(1 + (y - best(y)) / s). Its slope is 1 at the best. `compress` = false gives
/// y - best(y).
class ObjectiveScale {
 public:
  /// `objectives` has at least one value, and all are finite.
  explicit ObjectiveScale(const std::vector<double>& objectives, bool compress = true);

  /// The transformed objective: 0 at the best. Near the best it is the relative difference to the best, or
  /// the absolute difference if not all objectives are positive.
  double compressed(double objective) const;
  /// One unit of `compressed` near the best, as a share of the best objective. Infinite if the best is 0.
  double share() const { return logarithmic_ ? 1.0 : 1.0 / std::abs(best_); }
  /// The difference s between the median and the best before compression; always positive.
  double spread() const { return spread_; }

 private:
  bool compress_ = true;
  bool logarithmic_ = true;
  double best_ = 0.0;  // The logarithm of the best objective, or the best objective itself.
  double spread_ = 1.0;
};

}  // namespace warptune::search::models
