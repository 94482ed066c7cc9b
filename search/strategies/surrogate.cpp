#include "search/strategies/surrogate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "search/models/feature_map.h"
#include "search/models/gaussian_process.h"
#include "search/models/objective_scale.h"
#include "search/models/source_trend.h"
#include "search/models/validity.h"
#include "search/strategies/candidate_list.h"
#include "search/strategies/frontier.h"
#include "search/strategies/strategies.h"

namespace warptune::search::strategies {

namespace {

using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using Eigen::VectorXf;

constexpr std::size_t kStarts = 6;
constexpr std::size_t kOwnStarts = 3;      // Of them, beside what is asked for first.
constexpr std::size_t kNoMoreStarts = 15;  // Rated points, wherever they came from.
// How far a source is believed to err at least, as a share of the objective: what it ranks close must be
// tried.
constexpr double kSourceError = 0.1;
constexpr double kSlopePrior = 2.0;  // That a source's trend holds as it is, as so many evaluations.
// A source is followed where points are likelier with it, by so much in logarithms; at first they may be less
// so.
constexpr double kEvidence = 4.0;
constexpr double kTrust = 3.0;
constexpr double kTrustLost = 0.5;            // With each point.
constexpr std::size_t kDrawsOfAStart = 20;    // The farthest of them from all others is taken.
constexpr std::size_t kFewest = 2;            // Rated points a model needs.
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

class Surrogate : public Strategy {
 public:
  Surrogate(const model::Space& space, const StrategyOptions& options, const SurrogateParts& parts)
      : parts_(parts),
        frontier_(space, options),
        random_(options.seed ^ 0x737572726FULL),
        features_(space.parameters(), parts.alignment),
        covariance_(features_.groups(), features_.expected_log_lengths()),
        covariance_beside_source_(covariance_),
        candidates_(features_) {
    const auto rated = std::count_if(options.source.begin(), options.source.end(), [&](const Observation& o) {
      return o.is_rated() && space.contains(o.configuration);
    });
    if (static_cast<std::size_t>(rated) >= models::SourceTrend::kFewest)
      source_.emplace(space, features_, options.source);
  }

  std::vector<model::Configuration> ask(std::size_t count) override {
    std::vector<model::Configuration> asked;
    while (asked.size() < count) {
      std::optional<model::Configuration> next = frontier_.claim_first();
      if (!next) next = has_model() ? claim_expected_best() : claim_start();
      if (!next) next = frontier_.claim_random();
      if (!next) break;
      remember(*next);
      asked.push_back(*std::move(next));
    }
    return asked;
  }

  void tell(const Observation& observation) override {
    frontier_.claim(observation.configuration);
    if (!frontier_.space().contains(observation.configuration)) return;
    Point& point = points_[remember(observation.configuration)];
    if (point.state == State::kRated) --rated_;
    point.state = observation.is_rated() ? State::kRated : State::kFailed;
    if (point.state == State::kRated) ++rated_;
    point.objective = observation.objective;
    validity_.add_outcome(point.features, point.state == State::kRated);
  }

  std::optional<double> expected_gain(std::size_t evaluations) const override {
    if (gains_.empty()) return std::nullopt;
    std::vector<double> greatest = gains_;
    const std::size_t count = std::min(evaluations, greatest.size());
    std::partial_sort(greatest.begin(), greatest.begin() + static_cast<std::ptrdiff_t>(count), greatest.end(),
                      std::greater<>());
    const double sum =
        std::accumulate(greatest.begin(), greatest.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
    return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
  }

 private:
  enum class State { kPending, kRated, kFailed };
  struct Point {
    model::Configuration configuration;
    VectorXf features;
    State state = State::kPending;
    double objective = kNone;
    double trend = 0.0;     // What the source makes expect.
    bool expanded = false;  // Its neighbours are candidates.
  };
  // What the model is to predict, with the source's trend taken out.
  struct Targets {
    VectorXd values;     // Of the modelled points; NaN where pending, the mean where failed.
    double best = 0.0;   // Of all that are rated, the trend included.
    double slope = 0.0;  // Of the trend.
    double scale = 1.0;  // One in these units as `ObjectiveScale::compressed` counts,
    double share = 1.0;  // and as a share of the best objective.
  };

  // Starts of its own, too: what comes first may be all of one kind.
  bool has_model() const {
    const bool started = points_.size() >= kStarts && starts_drawn_ >= kOwnStarts;
    return rated_ >= kFewest && (started || rated_ >= kNoMoreStarts);
  }

  // The point of a configuration that is asked for or told.
  std::size_t remember(const model::Configuration& configuration) {
    const std::uint64_t index = *frontier_.space().index_of(configuration);
    const auto [found, is_new] = point_of_.try_emplace(index, points_.size());
    if (!is_new) return found->second;
    Point point{configuration, features_.features(configuration)};
    if (source_) point.trend = source_->expect({configuration}).front();
    points_.push_back(std::move(point));
    candidates_.take(index);
    return found->second;
  }

  // A start far from what is known (maximin by draws), and where some failed, likely to run.
  std::optional<model::Configuration> claim_start() {
    ++starts_drawn_;
    if (!frontier_.space().is_exact())
      return frontier_.claim_random();  // Draws may cost thousands of checks.
    CandidateList drawn(features_);
    for (std::size_t i = 0;
         i < (parts_.distant_starts ? kDrawsOfAStart : 1) && frontier_.seen() < frontier_.space().size();
         ++i) {
      const model::Configuration configuration = frontier_.space().sample(random_);
      if (frontier_.is_new(configuration))
        drawn.add(configuration, *frontier_.space().index_of(configuration));
    }
    if (drawn.size() == 0) return frontier_.claim_random();
    const MatrixXf columns = drawn.features_from(0);
    VectorXf merit = parts_.validity ? validity_.probabilities_of(columns) : VectorXf::Ones(columns.cols());
    for (Index i = 0; i < merit.size(); ++i) {
      float nearest = std::numeric_limits<float>::max();
      for (const Point& point : points_)
        nearest = std::min(nearest, (point.features - columns.col(i)).squaredNorm());
      if (!points_.empty()) merit[i] *= nearest;
    }
    Index best = 0;
    merit.maxCoeff(&best);
    const model::Configuration& chosen = drawn.configuration(static_cast<std::size_t>(best));
    frontier_.claim(chosen);
    return chosen;
  }

  std::optional<model::Configuration> claim_expected_best() {
    update_model();
    const Targets targets = targets_of(modelled_, follows_source_);
    VectorXf means = posterior_.means(posterior_.weights(targets.values));
    if (follows_source_) means += static_cast<float>(targets.slope) * candidate_trends_;
    const VectorXf deviations = posterior_.variances().cwiseSqrt();
    const VectorXf valid = parts_.validity ? validity_.probabilities() : VectorXf::Ones(means.size());
    gains_.clear();
    double best_gain = -1.0;
    std::size_t best = candidates_.size();
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (candidates_.taken(c)) continue;
      const auto i = static_cast<Index>(c);
      const double gain = valid[i] * expected_improvement(targets.best, means[i], deviations[i]);
      gains_.push_back(gain * targets.share);
      if (!(gain > best_gain)) continue;
      best_gain = gain;
      best = c;
    }
    if (best == candidates_.size()) return std::nullopt;
    frontier_.claim(candidates_.configuration(best));
    return candidates_.configuration(best);
  }

  Targets targets_of(const std::vector<std::size_t>& modelled, bool with_trend) const {
    std::vector<double> objectives;
    std::vector<double> trends;
    for (const Point& point : points_) {
      if (point.state != State::kRated) continue;
      objectives.push_back(point.objective);
      trends.push_back(point.trend);
    }
    const models::ObjectiveScale scale(objectives, parts_.compression);
    std::vector<double> compressed;
    compressed.reserve(objectives.size());
    for (const double objective : objectives) compressed.push_back(scale.compressed(objective));
    Targets targets;
    if (with_trend) targets.slope = models::shrunk_slope(trends, compressed, kSlopePrior);
    // Mean 0 and variance 1 without the trend; the best keeps its distance to the rest.
    VectorXd rest(static_cast<Index>(compressed.size()));
    for (std::size_t i = 0; i < compressed.size(); ++i)
      rest[static_cast<Index>(i)] = compressed[i] - targets.slope * trends[i];
    const double mean = rest.mean();
    const double least = with_trend ? kSourceError : 1e-3 * scale.spread();
    targets.scale = std::max(std::sqrt((rest.array() - mean).square().mean()), least);
    targets.share = targets.scale * scale.share();
    targets.slope /= targets.scale;
    targets.best = -mean / targets.scale;
    targets.values.resize(static_cast<Index>(modelled.size()));
    for (std::size_t i = 0; i < modelled.size(); ++i) {
      const Point& point = points_[modelled[i]];
      double value = kNone;
      if (point.state == State::kFailed) value = 0.0;
      if (point.state == State::kRated)
        value = (scale.compressed(point.objective) - mean) / targets.scale - targets.slope * point.trend;
      targets.values[static_cast<Index>(i)] = value;
    }
    return targets;
  }

  // Adds what is new to the model; now and then fits its lengths anew and draws other candidates.
  void update_model() {
    const bool few = rated_ <= kAlwaysRefit && rated_ != fitted_at_;
    const bool many =
        static_cast<std::size_t>(posterior_.point_count()) >= 2 * kMostModelled + kMostModelled / 4;
    if (fitted_at_ == 0 || few || many || rated_ >= fitted_at_ + fitted_at_ / 10 + 1) {
      refit();
    } else if (next_to_model_ < points_.size()) {
      MatrixXf added(static_cast<Index>(features_.size()),
                     static_cast<Index>(points_.size() - next_to_model_));
      for (Index i = 0; i < added.cols(); ++i, ++next_to_model_) {
        modelled_.push_back(next_to_model_);
        added.col(i) = points_[next_to_model_].features;
      }
      posterior_.add_points(added);
    }
    add_neighbours_of_best();
  }

  void refit() {
    modelled_ = rated_to_model();
    fit_lengths();
    fitted_at_ = rated_;
    std::size_t failed = 0;
    for (std::size_t p = points_.size(); p-- > 0;) {  // Of many that failed the latest.
      const State state = points_[p].state;
      if (state == State::kPending || (state == State::kFailed && failed++ < kMostModelled))
        modelled_.push_back(p);
    }
    next_to_model_ = points_.size();
    posterior_.reset(follows_source_ ? covariance_beside_source_ : covariance_);
    draw_candidates();
    posterior_.add_points(features_of(modelled_));
  }

  // Also decides whether the source is to be followed: where that makes the points known more likely.
  void fit_lengths() {
    const int steps = fitted_at_ == 0 ? kFirstSteps : kSteps;
    const MatrixXf features = features_of(modelled_);
    const auto unlikeliness = [&](models::Covariance& covariance, bool with_trend) {
      const Targets targets = targets_of(modelled_, with_trend);
      const auto count = static_cast<double>(modelled_.size());
      return covariance.fit(features, targets.values, steps) + count * std::log(targets.scale);
    };
    const double alone = unlikeliness(covariance_, false);
    const double margin = std::max(kTrust - kTrustLost * static_cast<double>(rated_), -kEvidence);
    follows_source_ = source_ && unlikeliness(covariance_beside_source_, true) < alone + margin;
  }

  MatrixXf features_of(const std::vector<std::size_t>& points) const {
    MatrixXf columns(static_cast<Index>(features_.size()), static_cast<Index>(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i)
      columns.col(static_cast<Index>(i)) = points_[points[i]].features;
    return columns;
  }

  // Points that are rated, the best `sorted` of them first.
  std::vector<std::size_t> rated_points(std::size_t sorted) const {
    std::vector<std::size_t> rated;
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (points_[p].state == State::kRated) rated.push_back(p);
    const auto end = rated.begin() + static_cast<std::ptrdiff_t>(std::min(sorted, rated.size()));
    std::partial_sort(rated.begin(), end, rated.end(), [&](std::size_t a, std::size_t b) {
      return points_[a].objective < points_[b].objective;
    });
    return rated;
  }

  // All that are rated, or of many the best and others by chance.
  std::vector<std::size_t> rated_to_model() {
    if (rated_ <= kMostModelled) return rated_points(0);
    constexpr std::size_t kKept = kMostModelled * 2 / 3;
    std::vector<std::size_t> rated = rated_points(kKept);
    for (std::size_t i = kKept; i < kMostModelled; ++i)
      std::swap(rated[i], rated[i + random_.below(rated.size() - i)]);
    rated.resize(kMostModelled);
    return rated;
  }

  // Every configuration of a small space, else others each time, so that in the end all had their turn. Where
  // constraints are left out of the space, drawing may cost too much: then only neighbours are candidates.
  void draw_candidates() {
    const model::Space& space = frontier_.space();
    const bool all = space.is_exact() && space.size() <= parts_.candidates;
    if (!all || candidates_.size() == 0) {
      candidates_.clear();
      for (Point& point : points_) point.expanded = false;
      if (all) {
        space.for_each([this](const model::Configuration& configuration) {
          add_candidate(configuration);
          return true;
        });
      } else if (space.is_exact()) {
        for (std::size_t i = 0; i < parts_.candidates; ++i) add_candidate(space.sample(random_));
      }
      validity_.clear_candidates();
      candidate_trends_.resize(0);
    }
    model_candidates();
  }

  void add_candidate(const model::Configuration& configuration) {
    const std::uint64_t index = *frontier_.space().index_of(configuration);
    if (point_of_.count(index) == 0) candidates_.add(configuration, index);
  }

  // Makes the models know the candidates that they do not.
  void model_candidates() {
    const auto add_to = [&](auto& model) {
      const auto known = static_cast<std::size_t>(model.candidate_count());
      if (known < candidates_.size()) model.add_candidates(candidates_.features_from(known));
    };
    add_to(posterior_);
    add_to(validity_);
    if (!follows_source_) return;
    std::vector<model::Configuration> added;
    for (auto c = static_cast<std::size_t>(candidate_trends_.size()); c < candidates_.size(); ++c)
      added.push_back(candidates_.configuration(c));
    const std::vector<double> trends = source_->expect(added);
    const Index known = candidate_trends_.size();
    candidate_trends_.conservativeResize(static_cast<Index>(candidates_.size()));
    for (std::size_t i = 0; i < trends.size(); ++i)
      candidate_trends_[known + static_cast<Index>(i)] = static_cast<float>(trends[i]);
  }

  void add_neighbours_of_best() {
    const model::Space& space = frontier_.space();
    if (space.is_exact() && (!parts_.neighbours || space.size() <= parts_.candidates)) return;
    const std::vector<std::size_t> rated = rated_points(kExpanded);
    for (std::size_t i = 0; i < std::min(kExpanded, rated.size()); ++i) {
      Point& point = points_[rated[i]];
      if (std::exchange(point.expanded, true)) continue;
      std::vector<model::Configuration> found =
          frontier_.space().neighbours(point.configuration, model::Neighbourhood::kHamming);
      random_.shuffle(found);
      found.resize(std::min(found.size(), kMostNeighbours));
      for (const model::Configuration& neighbour : found) add_candidate(neighbour);
    }
    model_candidates();
  }

  const SurrogateParts parts_;
  Frontier frontier_;
  base::Random random_;
  models::FeatureMap features_;
  std::optional<models::SourceTrend> source_;
  models::Covariance covariance_;
  models::Covariance covariance_beside_source_;  // Of what the source's trend leaves.
  bool follows_source_ = false;
  models::Posterior posterior_;
  models::Validity validity_;
  std::vector<Point> points_;  // Asked for or told, in that order.
  std::unordered_map<std::uint64_t, std::size_t> point_of_;
  std::size_t rated_ = 0;
  std::size_t starts_drawn_ = 0;
  std::vector<std::size_t> modelled_;  // Points in the posterior, in its order.
  std::size_t next_to_model_ = 0;      // Points from here on are not in it.
  std::size_t fitted_at_ = 0;          // Rated points when the lengths were fitted.
  CandidateList candidates_;
  VectorXf candidate_trends_;
  std::vector<double>
      gains_;  // Expected of each candidate when last chosen, as a share of the best objective.
};

}  // namespace

std::unique_ptr<Strategy> make_surrogate(const model::Space& space, const StrategyOptions& options,
                                         const SurrogateParts& parts) {
  return std::make_unique<Surrogate>(space, options, parts);
}

std::unique_ptr<Strategy> make_surrogate(const model::Space& space, const StrategyOptions& options) {
  return make_surrogate(space, options, SurrogateParts{});
}

}  // namespace warptune::search::strategies
