// Keeps the points of a surrogate search: their states, their features, and which are the best.
#include "search/strategies/surrogate_points.h"

#include <algorithm>
#include <utility>

namespace warptune::search::strategies {

using Eigen::Index;
using Eigen::MatrixXf;
using State = SurrogatePoint::State;

SurrogatePoints::SurrogatePoints(const model::Space& space, const models::FeatureMap& features,
                                 const std::vector<Observation>& source)
    : features_(features) {
  const auto rated = std::count_if(source.begin(), source.end(), [&](const Observation& o) {
    return o.is_rated() && space.contains(o.configuration);
  });
  if (static_cast<std::size_t>(rated) >= models::SourceTrend::kMinRated)
    source_.emplace(space, features_, source);
}

std::size_t SurrogatePoints::remember(const model::Configuration& configuration, std::uint64_t index) {
  const auto [found, is_new] = point_of_.try_emplace(index, points_.size());
  if (!is_new) return found->second;
  SurrogatePoint point{configuration, features_.features(configuration)};
  if (source_) point.trend = source_->expect({configuration}).front();
  points_.push_back(std::move(point));
  return found->second;
}

void SurrogatePoints::rate(std::size_t point, const Observation& observation) {
  SurrogatePoint& rated = points_[point];
  if (rated.state == State::kRated) --rated_;
  rated.state = observation.is_rated() ? State::kRated : State::kFailed;
  if (rated.state == State::kRated) ++rated_;
  rated.objective = observation.objective;
}

MatrixXf SurrogatePoints::features_of(const std::vector<std::size_t>& points) const {
  MatrixXf columns(static_cast<Index>(features_.size()), static_cast<Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    columns.col(static_cast<Index>(i)) = points_[points[i]].features;
  return columns;
}

std::vector<std::size_t> SurrogatePoints::rated_points(std::size_t sorted) const {
  std::vector<std::size_t> rated;
  for (std::size_t p = 0; p < points_.size(); ++p)
    if (points_[p].state == State::kRated) rated.push_back(p);
  const auto end = rated.begin() + static_cast<std::ptrdiff_t>(std::min(sorted, rated.size()));
  std::partial_sort(rated.begin(), end, rated.end(), [&](std::size_t a, std::size_t b) {
    return points_[a].objective < points_[b].objective;
  });
  return rated;
}

std::vector<std::size_t> SurrogatePoints::sample_of_rated(std::size_t maximum, base::Random& random) const {
  if (rated_ <= maximum) return rated_points(0);
  const std::size_t kept = maximum * 2 / 3;
  std::vector<std::size_t> rated = rated_points(kept);
  for (std::size_t i = kept; i < maximum; ++i) std::swap(rated[i], rated[i + random.below(rated.size() - i)]);
  rated.resize(maximum);
  return rated;
}

float SurrogatePoints::squared_distance_to_nearest(const Eigen::VectorXf& features) const {
  float nearest = std::numeric_limits<float>::max();
  for (const SurrogatePoint& point : points_)
    nearest = std::min(nearest, (point.features - features).squaredNorm());
  return nearest;
}

}  // namespace warptune::search::strategies
