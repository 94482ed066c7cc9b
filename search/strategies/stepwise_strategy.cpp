#include "search/strategies/stepwise_strategy.h"

#include <algorithm>
#include <utility>

namespace warptune::search::strategies {

std::vector<model::Configuration> StepwiseStrategy::ask(std::size_t count) {
  std::vector<model::Configuration> asked;
  while (asked.size() < count) {
    std::optional<model::Configuration> next = frontier_.claim_first();
    if (!next) next = propose();
    if (!next) break;
    asked.push_back(*std::move(next));
  }
  return asked;
}

void StepwiseStrategy::tell(const Observation& observation) {
  const std::optional<std::uint64_t> index = space().index_of(observation.configuration);
  if (!index) return;
  frontier_.claim(observation.configuration);
  ++since_best_;
  const std::optional<double> objective = usable_objective(observation);
  if (objective) {
    known_[*index] = *objective;
    if (observation.status == model::Status::kMeasured && (!best_ || *objective < best_->objective)) {
      best_ = Rated{observation.configuration, *objective};
      since_best_ = 0;
    }
  }
  learn(observation.configuration, *index, objective);
}

void StepwiseStrategy::learn(const model::Configuration& /*configuration*/, std::uint64_t /*index*/,
                             std::optional<double> /*objective*/) {}

// The estimate of a dropped configuration counts, because far from the best all configurations are dropped.
// It comes from few launches, so it never counts as better than the best measured objective.
std::optional<double> StepwiseStrategy::usable_objective(const Observation& observation) const {
  if (!observation.is_rated()) return std::nullopt;
  if (observation.status == model::Status::kDropped && best_)
    return std::max(observation.objective, best_->objective);
  return observation.objective;
}

std::optional<double> StepwiseStrategy::known(const model::Configuration& configuration) const {
  const std::optional<std::uint64_t> index = space().index_of(configuration);
  const auto found = index ? known_.find(*index) : known_.end();
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

std::optional<model::Configuration> StepwiseStrategy::random_neighbour(
    const model::Configuration& configuration, model::Neighbourhood kind) {
  std::vector<model::Configuration> found = space().neighbours(configuration, kind);
  if (found.empty()) return std::nullopt;
  return std::move(found[random_.below(found.size())]);
}

}  // namespace warptune::search::strategies
