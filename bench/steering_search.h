// A search with more information than strategy `surrogate`: static features and counters.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "bench/steering_counters.h"
#include "bench/steering_models.h"
#include "search/models/validity.h"
#include "search/strategies/frontier.h"
#include "search/strategy.h"

namespace warptune::bench {

/// The search of strategy `surrogate` over a recorded space, with additional features and counters. It reads
/// them from the recording, so it only works in replay. At most one evaluation may be pending.
class SteeredSearch : public search::Strategy {
 public:
  /// `input` must outlive the object.
  SteeredSearch(const SteeringInput& input, std::uint64_t seed)
      : input_(input),
        frontier_(input.recorded->space(), options_of(input, seed)),
        random_(seed ^ 0x737572726FULL),
        candidate_random_(seed),
        model_(*input.time_features),
        counter_model_(*input.parameters, *input.counters),
        is_compiled_(input.recorded->rows().size()),
        is_candidate_(input.recorded->rows().size()),
        is_taken_(input.recorded->rows().size()) {
    if (input.compiled_features != nullptr) compiled_model_.emplace_back(*input.compiled_features);
    if (input.counter_use == CounterUse::kWantedExact)
      predicted_ = steering::with_row_means(input.counters->work);
    if (input.counter_use == CounterUse::kFeatures) {
      const FeatureTable more =
          with_rows(*input.time_features,
                    Eigen::MatrixXf::Zero(input.counters->work.rows(), input.counters->work.cols()));
      model_ = steering::TimeModel(more);
    }
  }

  std::vector<model::Configuration> ask(std::size_t count) override {
    std::vector<model::Configuration> asked;
    while (asked.size() < count) {
      const bool has_model = told_.rated.size() >= kMinRated && told_.points.size() + asked.size() >= kStarts;
      std::optional<model::Configuration> next = frontier_.claim_first();
      if (!next) next = has_model ? claim_best_candidate() : claim_start();
      if (!next) next = frontier_.claim_random();
      if (!next) break;
      is_taken_[static_cast<std::size_t>(index_of(*next))] = true;
      asked.push_back(*std::move(next));
    }
    return asked;
  }

  void tell(const search::Observation& observation) override {
    const Index point = index_of(observation.configuration);
    const bool rated = observation.status == model::Status::kMeasured;
    const bool is_best =
        rated && (told_.rated.empty() ||
                  observation.objective < *std::min_element(told_.rated.begin(), told_.rated.end()));
    told_.counted.push_back(is_best || told_.points.size() % input_.count_every == 0);
    told_.points.push_back(point);
    told_.objectives.push_back(rated ? observation.objective : steering::kNone);
    if (rated) told_.rated.push_back(observation.objective);
    is_compiled_[static_cast<std::size_t>(point)] = true;
    validity_.add_outcome(input_.parameters->columns.col(point), rated);
  }

  const steering::Told& told() const { return told_; }
  /// The number of candidates that were compiled so far, whether they were evaluated or not.
  std::size_t compiled() const {
    return static_cast<std::size_t>(std::count(is_compiled_.begin(), is_compiled_.end(), true));
  }

 private:
  using Index = Eigen::Index;
  using Points = steering::Points;
  // The constants of strategy `surrogate`, except for kDrawn: large spaces have fewer candidates here.
  static constexpr std::size_t kStarts = 6;
  static constexpr std::size_t kDrawsOfAStart = 20;
  static constexpr std::size_t kMinRated = 2;
  static constexpr std::size_t kAllOf = 4096;
  static constexpr std::size_t kDrawn = 2048;
  static constexpr std::size_t kExpanded = 3;
  static constexpr std::size_t kAlwaysRefit = 20;
  static search::StrategyOptions options_of(const SteeringInput& input, std::uint64_t seed) {
    search::StrategyOptions options;
    options.seed = seed;
    options.first = input.first;
    return options;
  }

  Index index_of(const model::Configuration& configuration) const {
    return static_cast<Index>(*frontier_.space().index_of(configuration));
  }

  std::optional<model::Configuration> claim_start() {
    std::vector<model::Configuration> drawn;
    Points points;
    for (std::size_t i = 0; i < kDrawsOfAStart && frontier_.seen() < frontier_.space().size(); ++i) {
      model::Configuration configuration = frontier_.space().sample(random_);
      if (!frontier_.is_new(configuration)) continue;
      points.push_back(index_of(configuration));
      drawn.push_back(std::move(configuration));
    }
    if (drawn.empty()) return frontier_.claim_random();
    const Eigen::MatrixXf& columns = input_.parameters->columns;
    Eigen::VectorXf merit = validity_.probabilities_of(steering::columns_of(columns, points));
    for (std::size_t i = 0; i < drawn.size() && !told_.points.empty(); ++i) {
      float nearest = std::numeric_limits<float>::max();
      for (const Index told : told_.points)
        nearest = std::min(nearest, (columns.col(told) - columns.col(points[i])).squaredNorm());
      merit[static_cast<Index>(i)] *= nearest;
    }
    Index best = 0;
    merit.maxCoeff(&best);
    frontier_.claim(drawn[static_cast<std::size_t>(best)]);
    return drawn[static_cast<std::size_t>(best)];
  }

  std::optional<model::Configuration> claim_best_candidate() {
    const steering::ModelScale scale(told_.rated);
    update(scale);
    Eigen::VectorXf gains = model_.gains(scale);
    gains.array() *= validity_.probabilities().array();
    if (input_.counter_use != CounterUse::kFeatures)
      steering::weight_by_wanted_changes(*input_.counters, predicted_, told_, model_.candidates(), gains);
    Index best = pick(model_.candidates(), gains);
    if (!compiled_model_.empty() && best >= 0) best = pick_compiled(scale, gains);
    if (best < 0) return std::nullopt;
    model::Configuration chosen = frontier_.space().at(static_cast<std::uint64_t>(best));
    frontier_.claim(chosen);
    return chosen;
  }

  // The point with the greatest gain that is not taken, or -1 if all are.
  Index pick(const Points& candidates, const Eigen::VectorXf& gains) const {
    Index best = -1;
    float best_gain = -1.0F;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (is_taken_[static_cast<std::size_t>(candidates[c])] || gains[static_cast<Index>(c)] <= best_gain)
        continue;
      best_gain = gains[static_cast<Index>(c)];
      best = candidates[c];
    }
    return best;
  }

  // Compiles the best candidates of the first model. Returns the best candidate of the second model among all
  // that are compiled.
  Index pick_compiled(const steering::ModelScale& scale, const Eigen::VectorXf& gains) {
    std::vector<std::pair<float, Index>> ranked;
    for (std::size_t c = 0; c < model_.candidates().size(); ++c) {
      const Index point = model_.candidates()[c];
      const auto p = static_cast<std::size_t>(point);
      if (!is_taken_[p] && !(input_.compile_new && is_compiled_[p]))
        ranked.emplace_back(-gains[static_cast<Index>(c)], point);
    }
    const std::size_t count = std::min(input_.compiles, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end());
    Points added;
    for (std::size_t i = 0; i < count; ++i) {
      const auto p = static_cast<std::size_t>(ranked[i].second);
      if (is_compiled_[p]) continue;
      is_compiled_[p] = true;
      added.push_back(ranked[i].second);
    }
    steering::TimeModel& model = compiled_model_.front();
    model.add_candidates(added);
    Eigen::VectorXf second = model.gains(scale);
    second.array() *=
        validity_.probabilities_of(steering::columns_of(input_.parameters->columns, model.candidates()))
            .array();
    steering::weight_by_wanted_changes(*input_.counters, predicted_, told_, model.candidates(), second);
    return pick(model.candidates(), second);
  }

  void update(const steering::ModelScale& scale) {
    const std::size_t rated = told_.rated.size();
    const bool few = rated <= kAlwaysRefit && rated != fitted_at_;
    if (fitted_at_ == 0 || few || rated >= fitted_at_ + fitted_at_ / 10 + 1) {
      refit(scale);
    } else {
      for (; modelled_ < told_.points.size(); ++modelled_) {
        model_.add_point(told_.points[modelled_], told_.objectives[modelled_]);
        for (steering::TimeModel& model : compiled_model_)
          model.add_point(told_.points[modelled_], told_.objectives[modelled_]);
      }
    }
    add_neighbours_of_best();
  }

  void refit(const steering::ModelScale& scale) {
    if (input_.counter_use == CounterUse::kFeatures || input_.counter_use == CounterUse::kWanted)
      predicted_ = counter_model_.predicted(told_);
    if (input_.counter_use == CounterUse::kFeatures) {
      model_.columns().bottomRows(predicted_.rows()) = steering::as_features(predicted_, told_);
    }
    model_.refit(told_, scale);
    fitted_at_ = told_.rated.size();
    modelled_ = told_.points.size();
    draw_candidates();
    for (steering::TimeModel& model : compiled_model_) {
      model.refit(told_, scale);
      Points compiled;
      for (std::size_t p = 0; p < is_compiled_.size(); ++p)
        if (is_compiled_[p] && !is_taken_[p]) compiled.push_back(static_cast<Index>(p));
      model.add_candidates(compiled);
    }
  }

  void draw_candidates() {
    const model::Space& space = frontier_.space();
    const bool all = space.size() <= kAllOf;
    std::fill(is_candidate_.begin(), is_candidate_.end(), false);
    validity_.clear_candidates();
    expanded_.clear();
    Points drawn;
    for (std::uint64_t i = 0; i < (all ? space.size() : kDrawn); ++i)
      drawn.push_back(static_cast<Index>(all ? i : candidate_random_.below(space.size())));
    add_candidates(drawn);
  }

  void add_candidates(const Points& points) {
    Points added;
    for (const Index point : points) {
      const auto p = static_cast<std::size_t>(point);
      if (is_taken_[p] || is_candidate_[p]) continue;
      is_candidate_[p] = true;
      added.push_back(point);
    }
    if (added.empty()) return;
    model_.add_candidates(added);
    validity_.add_candidates(steering::columns_of(input_.parameters->columns, added));
  }

  void add_neighbours_of_best() {
    if (frontier_.space().size() <= kAllOf) return;
    std::vector<std::pair<double, Index>> rated;
    for (std::size_t i = 0; i < told_.points.size(); ++i)
      if (!std::isnan(told_.objectives[i])) rated.emplace_back(told_.objectives[i], told_.points[i]);
    const std::size_t count = std::min(kExpanded, rated.size());
    std::partial_sort(rated.begin(), rated.begin() + static_cast<std::ptrdiff_t>(count), rated.end());
    for (std::size_t i = 0; i < count; ++i) {
      const Index point = rated[i].second;
      if (std::find(expanded_.begin(), expanded_.end(), point) != expanded_.end()) continue;
      expanded_.push_back(point);
      Points found;
      const model::Space& space = frontier_.space();
      for (const model::Configuration& near :
           space.neighbours(space.at(static_cast<std::uint64_t>(point)), model::Neighbourhood::kHamming))
        found.push_back(index_of(near));
      add_candidates(found);
    }
  }

  const SteeringInput& input_;
  search::strategies::Frontier frontier_;
  base::Random random_;
  base::Random candidate_random_;  // Separate, so that all variants have the same candidates.
  steering::TimeModel model_;
  std::vector<steering::TimeModel> compiled_model_;  // Has one element, or none without compiled features.
  steering::CounterModel counter_model_;
  search::models::Validity validity_;
  steering::Told told_;
  std::vector<bool> is_compiled_, is_candidate_, is_taken_;  // For each index of the space.
  Points expanded_;                                          // Points whose neighbours are candidates.
  Eigen::MatrixXf predicted_;                                // The predicted work of all configurations.
  std::size_t fitted_at_ = 0;                                // The number of rated points at the last fit.
  std::size_t modelled_ = 0;                                 // The number of told points in the models.
};

}  // namespace warptune::bench
