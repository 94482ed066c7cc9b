#pragma once

#include <vector>

namespace warptune::search::models {

/// How a model sees objectives: logarithms where all are positive, compressed above the best so that the
/// many slow configurations do not outweigh the differences among the fast ones, then mean 0 and variance 1.
///
/// Compression: with z = (y - best) / (median - best), z becomes log(1 + z), whose slope is 1 at the best.
class ObjectiveScale {
 public:
  /// `objectives`: finite, at least one.
  explicit ObjectiveScale(const std::vector<double>& objectives);

  double to_model(double objective) const;
  /// The best objective given, as the model sees it.
  double best() const { return to_model(best_objective_); }
  /// A small improvement over the best in the model's units, as a share of the best objective.
  double relative_gain(double model_difference) const;

 private:
  double compressed(double objective) const;

  bool logarithmic_ = true;
  double best_objective_ = 0.0;
  double best_ = 0.0;  // Its logarithm, or itself.
  double spread_ = 1.0;
  double mean_ = 0.0;
  double deviation_ = 1.0;
};

}  // namespace warptune::search::models
