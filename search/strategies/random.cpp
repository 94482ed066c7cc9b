#include "search/strategies/stepwise_strategy.h"
#include "search/strategies/strategies.h"

namespace warptune::search::strategies {

namespace {

class RandomSearch : public StepwiseStrategy {
 public:
  RandomSearch(const model::Space& space, const StrategyOptions& options)
      : StepwiseStrategy(space, options, 0) {}

 private:
  std::optional<model::Configuration> propose() override { return frontier().claim_random(); }
};

}  // namespace

std::unique_ptr<Strategy> make_random(const model::Space& space, const StrategyOptions& options) {
  return std::make_unique<RandomSearch>(space, options);
}

}  // namespace warptune::search::strategies
