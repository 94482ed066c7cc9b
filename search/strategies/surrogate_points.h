// What a surrogate search knows of the space: the configurations that it asked for or was told.
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

/// A configuration that was asked for or told.
struct SurrogatePoint {
  enum class State { kPending, kRated, kFailed };

  model::Configuration configuration;
  Eigen::VectorXf features;
  State state = State::kPending;
  double objective = std::numeric_limits<double>::quiet_NaN();
  double trend = 0.0;  ///< What the source makes expect; 0 without one.
};

/// Those points in the order in which they came, each once.
class SurrogatePoints {
 public:
  /// `space` and `features` are borrowed. The observations of `source` in the space become its trend where
  /// they are enough.
  SurrogatePoints(const model::Space& space, const models::FeatureMap& features,
                  const std::vector<Observation>& source);

  /// Nothing where too little is known elsewhere.
  const std::optional<models::SourceTrend>& source() const { return source_; }

  std::size_t size() const { return points_.size(); }
  const SurrogatePoint& operator[](std::size_t point) const { return points_[point]; }
  std::size_t rated_count() const { return rated_; }
  /// Whether the configuration of that index in the space is one of the points.
  bool holds(std::uint64_t index) const { return point_of_.count(index) != 0; }

  /// The point of a configuration of the space, added as pending where it is new.
  std::size_t remember(const model::Configuration& configuration, std::uint64_t index);
  /// How an evaluation came out, also where that was told before.
  void rate(std::size_t point, const Observation& observation);

  /// Of some points, one a column.
  Eigen::MatrixXf features_of(const std::vector<std::size_t>& points) const;
  /// Points that are rated, the best `sorted` of them first.
  std::vector<std::size_t> rated_points(std::size_t sorted) const;
  /// All that are rated, or of more than `most` the best two thirds and others by chance.
  std::vector<std::size_t> sample_of_rated(std::size_t maximum, base::Random& random) const;
  /// The squared distance from a place to the nearest point; the greatest number where there is none.
  float squared_distance_to_nearest(const Eigen::VectorXf& features) const;

 private:
  const models::FeatureMap& features_;
  std::optional<models::SourceTrend> source_;
  std::vector<SurrogatePoint> points_;
  std::unordered_map<std::uint64_t, std::size_t> point_of_;  // By index in the space.
  std::size_t rated_ = 0;
};

}  // namespace warptune::search::strategies
