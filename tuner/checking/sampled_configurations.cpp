#include "tuner/checking/sampled_configurations.h"

#include <memory>

#include "search/strategy.h"

namespace warptune::tuner::checking {

using model::NamedValues;

std::vector<NamedValues> drawn(const model::Space& space, std::uint64_t count, std::uint64_t seed) {
  search::StrategyOptions options;
  options.seed = seed;
  const std::unique_ptr<search::Strategy> random = search::make_strategy("random", space, options);
  std::vector<NamedValues> configurations;
  for (const model::Configuration& configuration : random->ask(count))
    configurations.push_back(space.values_of(configuration));
  return configurations;
}

std::vector<NamedValues> all_of(const model::Space& space, const base::Cancellation& cancellation) {
  std::vector<NamedValues> configurations;
  space.for_each([&](const model::Configuration& configuration) {
    cancellation.throw_if_cancelled();
    configurations.push_back(space.values_of(configuration));
    return true;
  });
  return configurations;
}

}  // namespace warptune::tuner::checking
