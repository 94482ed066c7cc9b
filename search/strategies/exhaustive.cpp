#include "search/detail/frontier.h"
#include "search/strategies/strategies.h"

namespace warptune::search::detail {

namespace {

class Exhaustive : public Strategy {
 public:
  Exhaustive(const Space& space, const StrategyOptions& options) : frontier_(space, options) {}

  std::vector<Configuration> ask(std::size_t count) override {
    std::vector<Configuration> asked;
    while (asked.size() < count) {
      std::optional<Configuration> next = frontier_.claim_first();
      if (!next) next = frontier_.claim_next();
      if (!next) break;
      asked.push_back(*std::move(next));
    }
    return asked;
  }

  void tell(const Observation& observation) override { frontier_.claim(observation.configuration); }

 private:
  Frontier frontier_;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const Space& space, const StrategyOptions& options) {
  return std::make_unique<Exhaustive>(space, options);
}

}  // namespace warptune::search::detail
