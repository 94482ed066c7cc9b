#include "search/strategies/stepwise_strategy.h"
#include "search/strategies/strategy_list.h"

namespace warptune::search::strategies {

namespace {

class RandomSearch : public StepwiseStrategy {
 public:
  RandomSearch(const model::Space& space, const StrategyOptions& options)
      : StepwiseStrategy(space, options, 0) {}

 private:
  std::optional<model::Configuration> propose() override { return frontier().claim_random(); }
};

std::unique_ptr<Strategy> make_random(const model::Space& space, const StrategyOptions& options) {
  return std::make_unique<RandomSearch>(space, options);
}

}  // namespace

StrategyInfo random_strategy() {
  return {"random", "uniform without replacement",
          "index permutation after Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002", false,
          make_random};
}

}  // namespace warptune::search::strategies
