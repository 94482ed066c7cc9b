#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/models/feature_map.h"
#include "search/models/gaussian_process.h"
#include "search/models/objective_scale.h"
#include "search/strategy.h"

namespace warptune::search::models {

/// Predicts objectives from measurements of the same kernel on another GPU or of another problem size (the
/// source).
///
/// The prediction is the compressed logarithm (ObjectiveScale) of the objective that was measured there. For
/// a configuration that was not measured there, a Gaussian process of the measured ones predicts it.
class SourceTrend {
 public:
  /// `source` must have at least `kMinRated` observations of configurations of `space` with a valid objective
  /// (`Observation::is_rated`). `features` is borrowed and must outlive the object.
  SourceTrend(const model::Space& space, const FeatureMap& features, const std::vector<Observation>& source);

  static constexpr std::size_t kMinRated = 8;

  /// The prediction for each configuration: 0 for the best one of the source. For a little slower one, it is
  /// about the relative slow-down (see `ObjectiveScale::compressed`).
  std::vector<double> expect(const std::vector<model::Configuration>& configurations) const;

 private:
  const model::Space space_;
  const FeatureMap& features_;
  std::unordered_map<std::uint64_t, double> measured_;
  Covariance covariance_;
  Eigen::MatrixXf points_;   // Scaled.
  Eigen::VectorXf weights_;  // The weight of the covariance with each point.
  double mean_ = 0.0;
  double deviation_ = 1.0;
};

/// The slope of a linear regression of `values` on `trend`, shrunk towards 1. The slope 1 counts as much as
/// `prior` observations. With as many in `trend`, the result is halfway between 1 and the regression's slope.
double shrunk_slope(const std::vector<double>& trend, const std::vector<double>& values, double prior);

}  // namespace warptune::search::models
