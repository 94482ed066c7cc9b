#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "bench/steering_figures.h"
#include "search/models/gaussian_process.h"
#include "search/models/objective_scale.h"

namespace warptune::bench {

/// How a search uses the counters of the configurations that it measured.
enum class CounterUse {
  kNone,
  kFeatures,    ///< It predicts the counters of candidates and uses them as features of the time's model.
  kWanted,      ///< It weighs candidates by whether their predicted counters relieve the incumbent's limits.
  kWantedExact  ///< As `kWanted`, but with the recorded counters of all candidates.
};

/// A recorded space with the features that a search may use. All runs share it.
struct SteeringInput {
  const search::scoring::RecordedSpace* recorded = nullptr;
  const FeatureTable* parameters = nullptr;
  const FeatureTable* time_features = nullptr;  ///< The features that are known for every candidate.
  /// The features of compiled candidates. If given, a second model of the time chooses among those.
  const FeatureTable* compiled_features = nullptr;
  std::size_t compiles = 0;  ///< The number of candidates that the first model compiles in each step.
  bool compile_new = false;  ///< If true, `compiles` counts only candidates that were not compiled before.
  CounterUse counter_use = CounterUse::kNone;
  const CounterTable* counters =
      nullptr;                  ///< The counters of this recording, or of another one that replaces it.
  std::size_t count_every = 1;  ///< One evaluation in this many has counters, and so has each new best.
  std::vector<model::Configuration> first = {};  ///< The configurations that are measured first.
};

namespace steering {

using Index = Eigen::Index;
using Points = std::vector<steering::Index>;  // Indices of configurations in a space.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kFirstSteps = 30;
constexpr int kSteps = 8;

inline double expected_improvement(double best, double mean, double deviation) {
  const double z = (best - mean) / deviation;
  const double density = std::exp(-0.5 * z * z) * 0.3989422804014327;
  return deviation * (z * 0.5 * std::erfc(-z * M_SQRT1_2) + density);
}

inline Eigen::MatrixXf columns_of(const Eigen::MatrixXf& table, const steering::Points& points) {
  Eigen::MatrixXf columns(table.rows(), static_cast<steering::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    columns.col(static_cast<steering::Index>(i)) = table.col(points[i]);
  return columns;
}

/// The outcomes that were told so far, in order.
struct Told {
  steering::Points points;
  std::vector<double> objectives;  // NaN for a failure.
  std::vector<double> rated;       // The objectives without failures.
  std::vector<bool> counted;       // Whether the counters of a point are known.
};

/// Transforms objectives for a model: compressed, with mean 0 and variance 1.
class ModelScale {
 public:
  explicit ModelScale(const std::vector<double>& rated) : scale_(rated) {
    Eigen::VectorXd values(static_cast<steering::Index>(rated.size()));
    for (std::size_t i = 0; i < rated.size(); ++i)
      values[static_cast<steering::Index>(i)] = scale_.compressed(rated[i]);
    mean_ = values.mean();
    deviation_ = std::max(std::sqrt((values.array() - mean_).square().mean()), 1e-3 * scale_.spread());
  }
  /// The transformed objective. A failure (NaN) becomes the mean.
  double to_model(double objective) const {
    return std::isnan(objective) ? 0.0 : (scale_.compressed(objective) - mean_) / deviation_;
  }
  double best() const { return -mean_ / deviation_; }

 private:
  search::models::ObjectiveScale scale_;
  double mean_ = 0.0;
  double deviation_ = 1.0;
};

/// A Gaussian process of the time over a table of features.
class TimeModel {
 public:
  explicit TimeModel(const FeatureTable& table)
      : covariance_(table.groups, table.expected_log_lengths), columns_(table.columns) {}

  Eigen::MatrixXf& columns() { return columns_; }

  /// Fits the length scales again and forgets all candidates.
  void refit(const steering::Told& told, const steering::ModelScale& scale) {
    points_.clear();
    objectives_.clear();
    Eigen::VectorXd values(static_cast<steering::Index>(told.rated.size()));
    for (std::size_t i = 0; i < told.points.size(); ++i) {
      if (std::isnan(told.objectives[i])) continue;
      values[static_cast<steering::Index>(points_.size())] = scale.to_model(told.objectives[i]);
      points_.push_back(told.points[i]);
      objectives_.push_back(told.objectives[i]);
    }
    covariance_.fit(steering::columns_of(columns_, points_), values,
                    is_fitted_ ? steering::kSteps : steering::kFirstSteps);
    is_fitted_ = true;
    posterior_.reset(covariance_);
    candidates_.clear();
    for (std::size_t i = 0; i < told.points.size(); ++i) {
      if (!std::isnan(told.objectives[i])) continue;
      points_.push_back(told.points[i]);
      objectives_.push_back(steering::kNone);
    }
    posterior_.add_points(steering::columns_of(columns_, points_));
  }

  void add_point(steering::Index point, double objective) {
    points_.push_back(point);
    objectives_.push_back(objective);
    posterior_.add_points(steering::columns_of(columns_, {point}));
  }

  void add_candidates(const steering::Points& candidates) {
    if (candidates.empty()) return;
    candidates_.insert(candidates_.end(), candidates.begin(), candidates.end());
    posterior_.add_candidates(steering::columns_of(columns_, candidates));
  }
  const steering::Points& candidates() const { return candidates_; }

  /// The expected improvement of each candidate.
  Eigen::VectorXf gains(const steering::ModelScale& scale) const {
    Eigen::VectorXd values(static_cast<steering::Index>(objectives_.size()));
    for (std::size_t i = 0; i < objectives_.size(); ++i)
      values[static_cast<steering::Index>(i)] = scale.to_model(objectives_[i]);
    const Eigen::VectorXf means = posterior_.means(posterior_.weights(values));
    const Eigen::VectorXf deviations = posterior_.variances().cwiseSqrt();
    Eigen::VectorXf gains(means.size());
    for (steering::Index c = 0; c < gains.size(); ++c)
      gains[c] = static_cast<float>(steering::expected_improvement(scale.best(), means[c], deviations[c]));
    return gains;
  }

 private:
  search::models::Covariance covariance_;
  search::models::Posterior posterior_;
  Eigen::MatrixXf columns_;
  steering::Points points_;
  std::vector<double> objectives_;
  steering::Points candidates_;
  bool is_fitted_ = false;
};

/// Predicts the counters of all configurations from the measured ones. Each kind of work has its own Gaussian
/// process over the parameters.
class CounterModel {
 public:
  /// Both arguments must outlive the object.
  CounterModel(const FeatureTable& parameters, const CounterTable& counters)
      : parameters_(parameters),
        work_(counters.work),
        covariances_(kWorkKinds, {parameters.groups, parameters.expected_log_lengths}) {}

  /// The table `CounterTable::work` with predictions for the configurations that were not measured.
  Eigen::MatrixXf predicted(const steering::Told& told) {
    Eigen::MatrixXf predictions = Eigen::MatrixXf::Zero(work_.rows(), work_.cols());
    const bool refit = static_cast<double>(told.rated.size()) >= 1.25 * static_cast<double>(fitted_at_);
    for (steering::Index kind = 0; kind < work_.rows(); ++kind) {
      steering::Points points;
      for (std::size_t i = 0; i < told.points.size(); ++i)
        if (told.counted[i] && std::isfinite(work_(kind, told.points[i]))) points.push_back(told.points[i]);
      if (points.size() < 2) continue;
      predictions.row(kind) = row(covariances_[static_cast<std::size_t>(kind)], kind, points, refit);
      for (const steering::Index point : points) predictions(kind, point) = work_(kind, point);
    }
    if (refit) fitted_at_ = told.rated.size();
    return predictions;
  }

 private:
  Eigen::RowVectorXf row(search::models::Covariance& covariance, steering::Index kind,
                         const steering::Points& points, bool refit) {
    Eigen::VectorXd values(static_cast<steering::Index>(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i)
      values[static_cast<steering::Index>(i)] = work_(kind, points[i]);
    const double mean = values.mean();
    values.array() -= mean;
    const double deviation = std::sqrt(values.squaredNorm() / static_cast<double>(values.size()));
    if (deviation < 1e-6)
      return Eigen::RowVectorXf::Constant(parameters_.columns.cols(), static_cast<float>(mean));
    values /= deviation;
    const Eigen::MatrixXf columns = steering::columns_of(parameters_.columns, points);
    if (refit) covariance.fit(columns, values, fitted_at_ == 0 ? steering::kFirstSteps : steering::kSteps);
    const Eigen::MatrixXf scaled = covariance.scaled(columns);
    const Eigen::VectorXf weights = covariance.solve(scaled, values);
    const Eigen::MatrixXf all = covariance.scaled(parameters_.columns);
    const Eigen::RowVectorXf z = weights.transpose() * covariance.kernel(scaled, all);
    return (z.array() * static_cast<float>(deviation) + static_cast<float>(mean)).matrix();
  }

  const FeatureTable& parameters_;
  const Eigen::MatrixXf& work_;
  std::vector<search::models::Covariance> covariances_;
  std::size_t fitted_at_ = 0;
};

}  // namespace steering

}  // namespace warptune::bench
