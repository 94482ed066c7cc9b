#include "search/detail/stepwise_strategy.h"
#include "search/strategies/strategies.h"

namespace warptune::search::detail {

namespace {

class Exhaustive : public StepwiseStrategy {
 public:
  Exhaustive(const Space& space, const StrategyOptions& options) : StepwiseStrategy(space, options, 0) {}

 private:
  std::optional<Configuration> propose() override { return frontier().claim_next(); }
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const Space& space, const StrategyOptions& options) {
  return std::make_unique<Exhaustive>(space, options);
}

}  // namespace warptune::search::detail
