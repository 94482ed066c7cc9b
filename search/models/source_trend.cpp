// Uses results from another GPU or problem size (the source) as a trend of the objective.
//
// Times on two GPUs differ in scale, but configurations mostly have a similar order. ObjectiveScale removes
// the scale: it gives the difference of logarithms to the source's best, compressed for slow configurations.
// The search's model (surrogate_model.cpp) multiplies this trend by a slope, and models only the difference
// between the objectives and the result. A wrong trend is thus corrected by the search's own evaluations.
//
// The measured values are used where they exist. A Gaussian process predicts the others. It is fitted to at
// most 256 points, because a fit is cubic in their number.
#include "search/models/source_trend.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warptune::search::models {

namespace {

using Eigen::Index;

constexpr std::size_t kMaxModelled = 256;
constexpr int kSteps = 30;  // The steps of the fit.

}  // namespace

SourceTrend::SourceTrend(const model::Space& space, const FeatureMap& features,
                         const std::vector<Observation>& source)
    : space_(space), features_(features), covariance_(features.groups(), features.expected_log_lengths()) {
  std::vector<const Observation*> rated;
  std::vector<double> objectives;
  for (const Observation& observation : source) {
    if (!observation.is_rated() || !space.contains(observation.configuration)) continue;
    rated.push_back(&observation);
    objectives.push_back(observation.objective);
  }
  const ObjectiveScale scale(objectives);
  for (const Observation* observation : rated)
    measured_[*space.index_of(observation->configuration)] = scale.compressed(observation->objective);
  // The points of the process: the best ones, and evenly spaced ones of the others in ascending order.
  std::stable_sort(rated.begin(), rated.end(),
                   [](const auto* a, const auto* b) { return a->objective < b->objective; });
  std::vector<const Observation*> modelled;
  const std::size_t best = std::min(rated.size(), kMaxModelled / 2);
  modelled.assign(rated.begin(), rated.begin() + static_cast<std::ptrdiff_t>(best));
  const std::size_t stride = std::max<std::size_t>(1, (rated.size() - best) / (kMaxModelled / 2) + 1);
  for (std::size_t i = best; i < rated.size(); i += stride) modelled.push_back(rated[i]);
  Eigen::MatrixXf points(static_cast<Index>(features.size()), static_cast<Index>(modelled.size()));
  Eigen::VectorXd values(points.cols());
  for (Index i = 0; i < points.cols(); ++i) {
    const Observation& observation = *modelled[static_cast<std::size_t>(i)];
    points.col(i) = features.features(observation.configuration);
    values[i] = scale.compressed(observation.objective);
  }
  mean_ = values.mean();
  deviation_ = std::max(std::sqrt((values.array() - mean_).square().mean()), 1e-6);
  values = (values.array() - mean_) / deviation_;
  covariance_.fit(points, values, kSteps);
  points_ = covariance_.scaled(points);
  weights_ = covariance_.solve(points_, values);
}

std::vector<double> SourceTrend::expect(const std::vector<model::Configuration>& configurations) const {
  std::vector<double> expected(configurations.size());
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    const auto found = measured_.find(space_.index_of(configurations[c]).value_or(UINT64_MAX));
    if (found != measured_.end()) {
      expected[c] = found->second;
      continue;
    }
    const Eigen::MatrixXf scaled = covariance_.scaled(features_.features(configurations[c]));
    const double predicted = covariance_.kernel(scaled, points_).row(0).dot(weights_);
    expected[c] = std::max(0.0, mean_ + deviation_ * predicted);
  }
  return expected;
}

double shrunk_slope(const std::vector<double>& trend, const std::vector<double>& values, double prior) {
  const auto count = static_cast<double>(trend.size());
  const double trend_mean = std::accumulate(trend.begin(), trend.end(), 0.0) / count;
  const double value_mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double square = 0.0;
  double product = 0.0;
  for (std::size_t i = 0; i < trend.size(); ++i) {
    square += (trend[i] - trend_mean) * (trend[i] - trend_mean);
    product += (trend[i] - trend_mean) * (values[i] - value_mean);
  }
  if (square <= 0.0) return 1.0;
  const double weight = prior * square / count;
  return (product + weight) / (square + weight);
}

}  // namespace warptune::search::models
