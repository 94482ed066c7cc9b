// The surrogate strategy (Bayesian optimisation): a statistical model of the objectives chooses each
// evaluation.
//
// It begins with a few configurations that are far from each other. Then it repeatedly asks for the candidate
// with the greatest expected improvement on the best (Mockus 1975; Jones, Schonlau, Welch 1998), multiplied
// by the probability that the candidate runs. Expected improvement is large where the predicted time is
// small, and where the prediction is uncertain. It therefore balances exploitation and exploration without a
// parameter. If the model is right, the sum of the greatest expected improvements is an upper bound for the
// gain of further evaluations (`expected_gain`).
//
// The model is in surrogate_model.cpp, the candidates are in surrogate_candidates.cpp, and the observations
// are in surrogate_points.cpp. docs/notes/search-experiments.md has measurements of each part, and
// experiments that were not adopted.
#include "search/strategies/surrogate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "search/models/feature_map.h"
#include "search/strategies/candidate_list.h"
#include "search/strategies/frontier.h"
#include "search/strategies/strategy_list.h"
#include "search/strategies/surrogate_candidates.h"
#include "search/strategies/surrogate_model.h"
#include "search/strategies/surrogate_points.h"

namespace warptune::search::strategies {

namespace {

using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXf;

constexpr std::size_t kStarts = 6;     // The minimum number of points before the model chooses.
constexpr std::size_t kOwnStarts = 3;  // The minimum number of starts besides `StrategyOptions::first`.
constexpr std::size_t kRatedWithoutStarts = 15;  // With so many rated points, no further start is needed.
constexpr std::size_t kDrawsOfAStart = 20;       // A start is the draw that is farthest from all points.
constexpr std::size_t kMinRated = 2;             // The number of rated points that a model needs.

// The expected value of max(0, best - y) for a normal y (Mockus 1975; Jones et al. 1998).
double expected_improvement(double best, double mean, double deviation) {
  const double z = (best - mean) / deviation;
  const double density = std::exp(-0.5 * z * z) * 0.3989422804014327;  // 1 / sqrt(2 pi)
  return deviation * (z * 0.5 * std::erfc(-z * M_SQRT1_2) + density);
}

class Surrogate : public Strategy {
 public:
  Surrogate(const model::Space& space, const StrategyOptions& options, const SurrogateParts& parts)
      : parts_(parts),
        frontier_(space, options),
        random_(options.seed ^ 0x737572726FULL),
        features_(space.parameters(), parts.alignment),
        points_(space, features_, options.source),
        model_(parts_, features_, points_),
        candidates_(parts_, frontier_.space(), features_, points_) {}

  std::vector<model::Configuration> ask(std::size_t count) override {
    std::vector<model::Configuration> asked;
    while (asked.size() < count) {
      std::optional<model::Configuration> next = frontier_.claim_first();
      if (!next) next = has_model() ? claim_best_candidate() : claim_start();
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
    const std::size_t point = remember(observation.configuration);
    points_.rate(point, observation);
    model_.add_outcome(points_[point]);
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
  // The strategy also needs starts of its own, because the configurations that come first may all be similar.
  bool has_model() const {
    const std::size_t rated = points_.rated_count();
    const bool started = points_.size() >= kStarts && starts_drawn_ >= kOwnStarts;
    return rated >= kMinRated && (started || rated >= kRatedWithoutStarts);
  }

  // The number of the point of a configuration that `ask` returns or `tell` reports.
  std::size_t remember(const model::Configuration& configuration) {
    const std::uint64_t index = *frontier_.space().index_of(configuration);
    candidates_.take(index);
    return points_.remember(configuration, index);
  }

  // Claims the random draw with the largest distance to its nearest point (maximin), weighted by the
  // probability that it runs.
  std::optional<model::Configuration> claim_start() {
    ++starts_drawn_;
    if (!frontier_.space().is_exact())
      return frontier_.claim_random();  // Each draw may cost thousands of checks.
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
    VectorXf merit = model_.chances_of(columns);
    for (Index i = 0; points_.size() > 0 && i < merit.size(); ++i)
      merit[i] *= points_.squared_distance_to_nearest(columns.col(i));
    Index best = 0;
    merit.maxCoeff(&best);
    return claimed(drawn.configuration(static_cast<std::size_t>(best)));
  }

  std::optional<model::Configuration> claim_best_candidate() {
    update_model();
    const SurrogateModel::Prediction predicted = model_.predict();
    const CandidateList& candidates = candidates_.list();
    gains_.clear();
    double best_gain = -1.0;
    std::size_t best = candidates.size();
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (candidates.taken(c)) continue;
      const auto i = static_cast<Index>(c);
      const double gain = predicted.chances[i] *
                          expected_improvement(predicted.best, predicted.means[i], predicted.deviations[i]);
      gains_.push_back(gain * predicted.share);
      if (!(gain > best_gain)) continue;
      best_gain = gain;
      best = c;
    }
    if (best == candidates.size()) return std::nullopt;
    return claimed(candidates.configuration(best));
  }

  model::Configuration claimed(const model::Configuration& configuration) {
    frontier_.claim(configuration);
    return configuration;
  }

  // Adds new points and candidates to the model. If the model is stale, fits its length scales again and
  // draws new candidates.
  void update_model() {
    if (model_.is_stale()) {
      model_.fit(random_);
      if (candidates_.redraw(random_)) model_.forget_candidates();
      model_.add_candidates(candidates_.list());
    }
    model_.add_points();
    candidates_.add_neighbours_of_best(random_);
    model_.add_candidates(candidates_.list());
  }

  const SurrogateParts parts_;
  Frontier frontier_;
  base::Random random_;
  models::FeatureMap features_;
  SurrogatePoints points_;
  SurrogateModel model_;
  SurrogateCandidates candidates_;
  std::size_t starts_drawn_ = 0;
  // The expected improvement of each candidate at the last choice, as a share of the best objective.
  std::vector<double> gains_;
};

}  // namespace

std::unique_ptr<Strategy> make_surrogate(const model::Space& space, const StrategyOptions& options,
                                         const SurrogateParts& parts) {
  return std::make_unique<Surrogate>(space, options, parts);
}

StrategyInfo surrogate_strategy() {
  return {"surrogate",
          "expected improvement by a Gaussian process, over sampled candidates and neighbours of the best",
          "Mockus, On Bayesian Methods for Seeking the Extremum, 1975; Jones, Schonlau, Welch, 1998", true,
          [](const model::Space& space, const StrategyOptions& options) {
            return make_surrogate(space, options, SurrogateParts{});
          }};
}

}  // namespace warptune::search::strategies
