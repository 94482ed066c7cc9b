#include "search/strategies/stepwise_strategy.h"
#include "search/strategies/strategy_list.h"

namespace warptune::search::strategies {

namespace {

// Takes the valid configurations in the order of their indices in the space. It uses no random numbers.
class Exhaustive : public StepwiseStrategy {
 public:
  Exhaustive(const model::Space& space, const StrategyOptions& options)
      : StepwiseStrategy(space, options, 0) {}

 private:
  std::optional<model::Configuration> propose() override { return frontier().claim_next(); }
};

std::unique_ptr<Strategy> make_exhaustive(const model::Space& space, const StrategyOptions& options) {
  return std::make_unique<Exhaustive>(space, options);
}

}  // namespace

StrategyInfo exhaustive_strategy() {
  return {"exhaustive", "every configuration once, in the order of the space", "-", false, make_exhaustive};
}

}  // namespace warptune::search::strategies
