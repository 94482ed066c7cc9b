// The observations of a surrogate search: the configurations that `ask` returned or `tell` reported.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "model/space.h"
#include "search/models/feature_map.h"
#include "search/models/source_trend.h"
#include "search/strategy.h"

namespace warptune::search::strategies {

/// A configuration that `ask` returned or `tell` reported.
struct SurrogatePoint {
  enum class State { kPending, kRated, kFailed };

  model::Configuration configuration;
  Eigen::VectorXf features;
  State state = State::kPending;
  double objective = 0.0;  ///< Valid if `state` is `kRated`.
  double trend = 0.0;      ///< The prediction of the source's trend; 0 without one.
};

/// All points, each once, in the order in which they were added.
class SurrogatePoints {
 public:
  /// `features` is borrowed and must outlive the object. If `source` has at least `SourceTrend::kMinRated`
  /// rated observations in the space, a trend is fitted to them.
  SurrogatePoints(const model::Space& space, const models::FeatureMap& features,
                  const std::vector<Observation>& source);

  /// The trend, or std::nullopt if the source has too few observations.
  const std::optional<models::SourceTrend>& source() const { return source_; }

  std::size_t size() const { return points_.size(); }
  const SurrogatePoint& operator[](std::size_t point) const { return points_[point]; }
  std::size_t rated_count() const { return rated_; }
  /// Whether the configuration with this index in the space is one of the points.
  bool holds(std::uint64_t index) const { return point_of_.count(index) != 0; }

  /// The number of the point of a configuration. A new point is added as pending.
  std::size_t remember(const model::Configuration& configuration, std::uint64_t index);
  /// Stores the outcome of an evaluation. It replaces an earlier outcome of the same point.
  void rate(std::size_t point, const Observation& observation);

  /// The features of these points, one column for each.
  Eigen::MatrixXf features_of(const std::vector<std::size_t>& points) const;
  /// All rated points. The best `sorted` come first, in ascending order of the objective; the others follow
  /// in no order.
  std::vector<std::size_t> rated_points(std::size_t sorted) const;
  /// All rated points if they are at most `maximum`. Otherwise the best `maximum` * 2/3 of them, and a random
  /// sample of the others.
  std::vector<std::size_t> sample_of_rated(std::size_t maximum, base::Random& random) const;
  /// The squared distance from these features to the nearest point, or the maximum of float without points.
  float squared_distance_to_nearest(const Eigen::VectorXf& features) const;

 private:
  const models::FeatureMap& features_;
  std::optional<models::SourceTrend> source_;
  std::vector<SurrogatePoint> points_;
  std::unordered_map<std::uint64_t, std::size_t> point_of_;  // Index in the space -> point.
  std::size_t rated_ = 0;
};

}  // namespace warptune::search::strategies
