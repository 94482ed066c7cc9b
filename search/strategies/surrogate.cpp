#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "search/detail/frontier.h"
#include "search/models/feature_map.h"
#include "search/models/gaussian_process.h"
#include "search/models/objective_scale.h"
#include "search/models/validity.h"
#include "search/strategies/strategies.h"

namespace warptune::search::detail {

namespace {

using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using Eigen::VectorXf;

constexpr std::size_t kStarts = 6;
constexpr std::size_t kDrawsOfAStart = 20;  // The farthest of them from all others is taken.
constexpr std::size_t kFewest = 2;          // Rated points a model needs.
constexpr std::size_t kMostCandidates = 4096;
constexpr std::size_t kMostNeighbours = 512;  // Of one configuration.
constexpr std::size_t kExpanded = 3;          // Of the best, whose neighbours are candidates.
constexpr std::size_t kMostModelled = 384;    // Points; of more, the best two thirds and others by chance.
constexpr std::size_t kAlwaysRefit = 20;      // Up to so many points each new one changes the lengths.
constexpr int kFirstSteps = 30;
constexpr int kSteps = 8;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// How much below `best` a normal variable is expected to be, where it is (Mockus 1975; Jones et al. 1998).
double expected_improvement(double best, double mean, double deviation) {
  const double z = (best - mean) / deviation;
  const double density = std::exp(-0.5 * z * z) * 0.3989422804014327;
  return deviation * (z * 0.5 * std::erfc(-z * M_SQRT1_2) + density);
}

MatrixXf as_columns(const std::vector<VectorXf>& points) {
  MatrixXf columns(points.front().size(), static_cast<Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) columns.col(static_cast<Index>(i)) = points[i];
  return columns;
}

class Surrogate : public Strategy {
 public:
  Surrogate(const Space& space, const StrategyOptions& options)
      : frontier_(space, options),
        random_(options.seed ^ 0x737572726FULL),
        features_(space.parameters()),
        covariance_(features_.groups(), features_.expected_log_lengths()) {}

  std::vector<Configuration> ask(std::size_t count) override {
    std::vector<Configuration> asked;
    while (asked.size() < count) {
      std::optional<Configuration> next = frontier_.claim_first();
      if (!next) next = has_model() ? claim_expected_best() : claim_start();
      if (!next) next = frontier_.claim_random();
      if (!next) break;
      remember(*next);
      asked.push_back(*std::move(next));
    }
    return asked;
  }

  void tell(const Observation& observation) override {
    const Configuration& configuration = observation.configuration;
    frontier_.claim(configuration);
    const std::optional<std::uint64_t> index = frontier_.space().index_of(configuration);
    if (!index) return;
    Point& point = points_[remember(configuration)];
    const bool rated = observation.status == Status::kMeasured || observation.status == Status::kDropped;
    if (point.state != State::kPending) --told_;
    if (point.state == State::kRated) --rated_;
    ++told_;
    point.state = rated && std::isfinite(observation.objective) ? State::kRated : State::kFailed;
    if (point.state == State::kRated) ++rated_;
    point.objective = observation.objective;
    validity_.add_outcome(point.features, point.state == State::kRated);
  }

 private:
  enum class State { kPending, kRated, kFailed };
  struct Point {
    Configuration configuration;
    VectorXf features;
    State state = State::kPending;
    double objective = kNone;
    bool expanded = false;  // Its neighbours are candidates.
  };
  struct Candidate {
    Configuration configuration;
    bool taken = false;
  };

  bool has_model() const { return rated_ >= kFewest && points_.size() >= kStarts; }

  // The point of a configuration that is asked for or told.
  std::size_t remember(const Configuration& configuration) {
    const std::uint64_t index = *frontier_.space().index_of(configuration);
    const auto [found, is_new] = point_of_.try_emplace(index, points_.size());
    if (!is_new) return found->second;
    points_.push_back({configuration, features_.features(configuration), State::kPending, kNone, false});
    const auto candidate = candidate_of_.find(index);
    if (candidate != candidate_of_.end()) candidates_[candidate->second].taken = true;
    return found->second;
  }

  // A start far from what is known (maximin by draws), and where that fails often, likely to run.
  std::optional<Configuration> claim_start() {
    std::vector<Configuration> drawn;
    std::vector<VectorXf> features;
    for (std::size_t i = 0; i < kDrawsOfAStart && frontier_.seen() < frontier_.space().size(); ++i) {
      Configuration configuration = frontier_.space().sample(random_);
      if (!frontier_.is_new(configuration)) continue;
      features.push_back(features_.features(configuration));
      drawn.push_back(std::move(configuration));
    }
    if (drawn.empty()) return frontier_.claim_random();
    VectorXf merit = VectorXf::Ones(static_cast<Index>(drawn.size()));
    if (validity_.any_failed()) {
      validity_.reset_candidates();
      validity_.add_candidates(as_columns(features));
      merit = validity_.probabilities();
      validity_.reset_candidates();
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      float nearest = std::numeric_limits<float>::max();
      for (const Point& point : points_)
        nearest = std::min(nearest, (point.features - features[i]).squaredNorm());
      if (!points_.empty()) merit[static_cast<Index>(i)] *= nearest;
    }
    Index best = 0;
    if (!points_.empty()) merit.maxCoeff(&best);
    Configuration chosen = drawn[static_cast<std::size_t>(best)];
    frontier_.claim(chosen);
    return chosen;
  }

  std::optional<Configuration> claim_expected_best() {
    update_model();
    const models::ObjectiveScale scale = scale_of_rated();
    VectorXd values(static_cast<Index>(modelled_.size()));
    for (std::size_t i = 0; i < modelled_.size(); ++i) {
      const Point& point = points_[modelled_[i]];
      values[static_cast<Index>(i)] = point.state == State::kRated ? scale.to_model(point.objective) : kNone;
    }
    const VectorXf means = posterior_.means(posterior_.weights(values));
    const VectorXf deviations = posterior_.variances().cwiseSqrt();
    VectorXf valid = VectorXf::Ones(means.size());
    if (validity_.any_failed()) valid = validity_.probabilities();
    double best_gain = -1.0;
    std::size_t best = candidates_.size();
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (candidates_[c].taken) continue;
      const auto i = static_cast<Index>(c);
      const double gain = valid[i] * expected_improvement(scale.best(), means[i], deviations[i]);
      if (gain <= best_gain) continue;
      best_gain = gain;
      best = c;
    }
    if (best == candidates_.size()) return std::nullopt;
    Configuration chosen = candidates_[best].configuration;
    frontier_.claim(chosen);
    return chosen;
  }

  models::ObjectiveScale scale_of_rated() const {
    std::vector<double> objectives;
    for (const Point& point : points_)
      if (point.state == State::kRated) objectives.push_back(point.objective);
    return models::ObjectiveScale(objectives);
  }

  // Adds what is new to the model; now and then fits its lengths anew and draws other candidates.
  void update_model() {
    const bool few = rated_ <= kAlwaysRefit && rated_ != fitted_at_;
    if (fitted_at_ == 0 || few || rated_ >= fitted_at_ + fitted_at_ / 10 + 1) {
      refit();
    } else {
      std::vector<VectorXf> added;
      for (; next_to_model_ < points_.size(); ++next_to_model_) {
        modelled_.push_back(next_to_model_);
        added.push_back(points_[next_to_model_].features);
      }
      if (!added.empty()) posterior_.add_points(as_columns(added));
    }
    add_neighbours_of_best();
  }

  void refit() {
    modelled_ = rated_to_model();
    std::vector<VectorXf> columns;
    std::vector<double> objectives;
    for (const std::size_t p : modelled_) {
      columns.push_back(points_[p].features);
      objectives.push_back(points_[p].objective);
    }
    const models::ObjectiveScale scale(objectives);
    VectorXd values(static_cast<Index>(objectives.size()));
    for (std::size_t i = 0; i < objectives.size(); ++i)
      values[static_cast<Index>(i)] = scale.to_model(objectives[i]);
    covariance_.fit(as_columns(columns), values, fitted_at_ == 0 ? kFirstSteps : kSteps);
    fitted_at_ = rated_;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      if (points_[p].state != State::kPending) continue;
      modelled_.push_back(p);
      columns.push_back(points_[p].features);
    }
    next_to_model_ = points_.size();
    posterior_.reset(covariance_);
    draw_candidates();
    posterior_.add_points(as_columns(columns));
  }

  // All that are rated, or of many the best and others by chance.
  std::vector<std::size_t> rated_to_model() {
    std::vector<std::size_t> rated;
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (points_[p].state == State::kRated) rated.push_back(p);
    if (rated.size() <= kMostModelled) return rated;
    const std::size_t kept = kMostModelled * 2 / 3;
    std::nth_element(
        rated.begin(), rated.begin() + static_cast<std::ptrdiff_t>(kept), rated.end(),
        [&](std::size_t a, std::size_t b) { return points_[a].objective < points_[b].objective; });
    for (std::size_t i = kept; i < kMostModelled; ++i)
      std::swap(rated[i], rated[i + random_.below(rated.size() - i)]);
    rated.resize(kMostModelled);
    return rated;
  }

  // Every configuration of a small space, else others each time, so that in the end all had their turn.
  void draw_candidates() {
    const Space& space = frontier_.space();
    const bool all = space.size() <= kMostCandidates;
    if (all && !candidates_.empty()) {
      posterior_.add_candidates(candidate_features_);
      return;
    }
    candidates_.clear();
    candidate_of_.clear();
    for (Point& point : points_) point.expanded = false;
    std::vector<Configuration> drawn;
    if (all) {
      space.for_each([&drawn](const Configuration& configuration) {
        drawn.push_back(configuration);
        return true;
      });
    } else {
      while (drawn.size() < kMostCandidates) drawn.push_back(space.sample(random_));
    }
    validity_.reset_candidates();
    candidate_features_.resize(0, 0);
    add_candidates(drawn);
  }

  void add_candidates(const std::vector<Configuration>& configurations) {
    std::vector<VectorXf> added;
    for (const Configuration& configuration : configurations) {
      const std::uint64_t index = *frontier_.space().index_of(configuration);
      if (point_of_.count(index) > 0 || !candidate_of_.try_emplace(index, candidates_.size()).second)
        continue;
      candidates_.push_back({configuration, false});
      added.push_back(features_.features(configuration));
    }
    if (added.empty()) return;
    const MatrixXf columns = as_columns(added);
    posterior_.add_candidates(columns);
    validity_.add_candidates(columns);
    const Index count = candidate_features_.cols();
    candidate_features_.conservativeResize(columns.rows(), count + columns.cols());
    candidate_features_.rightCols(columns.cols()) = columns;
  }

  void add_neighbours_of_best() {
    if (frontier_.space().size() <= kMostCandidates) return;
    std::vector<std::size_t> rated;
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (points_[p].state == State::kRated) rated.push_back(p);
    const std::size_t count = std::min(kExpanded, rated.size());
    std::partial_sort(
        rated.begin(), rated.begin() + static_cast<std::ptrdiff_t>(count), rated.end(),
        [&](std::size_t a, std::size_t b) { return points_[a].objective < points_[b].objective; });
    for (std::size_t i = 0; i < count; ++i) {
      Point& point = points_[rated[i]];
      if (std::exchange(point.expanded, true)) continue;
      std::vector<Configuration> found =
          frontier_.space().neighbours(point.configuration, Neighbourhood::kHamming);
      if (found.size() > kMostNeighbours) {
        random_.shuffle(found);
        found.resize(kMostNeighbours);
      }
      add_candidates(found);
    }
  }

  Frontier frontier_;
  base::Random random_;
  models::FeatureMap features_;
  models::Covariance covariance_;
  models::Posterior posterior_;
  models::Validity validity_;
  std::vector<Point> points_;  // Asked for or told, in that order.
  std::unordered_map<std::uint64_t, std::size_t> point_of_;
  std::size_t rated_ = 0;
  std::size_t told_ = 0;
  std::vector<std::size_t> modelled_;  // Points in the posterior, in its order.
  std::size_t next_to_model_ = 0;      // Points from here on are not in it.
  std::size_t fitted_at_ = 0;          // Rated points when the lengths were fitted.
  std::vector<Candidate> candidates_;  // In the posterior's order.
  std::unordered_map<std::uint64_t, std::size_t> candidate_of_;
  MatrixXf candidate_features_;
};

}  // namespace

std::unique_ptr<Strategy> make_surrogate(const Space& space, const StrategyOptions& options) {
  return std::make_unique<Surrogate>(space, options);
}

}  // namespace warptune::search::detail
