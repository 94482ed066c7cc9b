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

/// What measurements of the same kernel on another GPU or of another size make expect here: a configuration's
/// compressed logarithm there, as measured, or where it was not, as a Gaussian process of them predicts.
class SourceTrend {
 public:
  /// `source` has at least `kMinRated` rated observations of configurations of `space`.
  SourceTrend(const model::Space& space, const FeatureMap& features, const std::vector<Observation>& source);

  static constexpr std::size_t kMinRated = 8;

  /// One for each configuration, 0 at the source's best, 1 for e times as slow where that is little.
  std::vector<double> expect(const std::vector<model::Configuration>& configurations) const;

 private:
  const model::Space space_;
  const FeatureMap& features_;
  std::unordered_map<std::uint64_t, double> measured_;
  Covariance covariance_;
  Eigen::MatrixXf points_;   // Scaled.
  Eigen::VectorXf weights_;  // Of the kernel with each point.
  double mean_ = 0.0;
  double deviation_ = 1.0;
};

/// How far to follow a trend: the slope of a regression of `values` on `trend` that takes as many
/// observations as `prior` to move from 1 half-way to what they say.
double shrunk_slope(const std::vector<double>& trend, const std::vector<double>& values, double prior);

}  // namespace warptune::search::models
