#include "search/detail/stepwise_strategy.h"
#include "search/strategies/strategies.h"

namespace warptune::search::detail {

namespace {

class RandomSearch : public StepwiseStrategy {
 public:
  RandomSearch(const Space& space, const StrategyOptions& options) : StepwiseStrategy(space, options, 0) {}

 private:
  std::optional<Configuration> propose() override { return frontier().claim_random(); }
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Space& space, const StrategyOptions& options) {
  return std::make_unique<RandomSearch>(space, options);
}

}  // namespace warptune::search::detail
