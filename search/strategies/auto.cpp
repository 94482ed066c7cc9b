// The default strategy. It enumerates the space if the budget covers it. Otherwise it begins with the
// surrogate and ends with local search.
#include <unordered_set>
#include <utility>

#include "search/strategies/strategy_list.h"

namespace warptune::search::strategies {

namespace {

// After so many evaluations the model rarely finds a better configuration, while its own CPU time grows with
// the number of points. Local search near the best then gains as much and costs less.
// docs/notes/search-experiments.md has the comparison.
constexpr std::uint64_t kModelled = 400;

// The surrogate chooses first. Then local search continues from the best. All outcomes are reported to both.
class ModelThenLocal : public Strategy {
 public:
  ModelThenLocal(const model::Space& space, const StrategyOptions& options)
      : space_(space),
        model_(surrogate_strategy().make(space, options)),
        local_(local_search_strategy().make(space, options)) {}

  std::vector<model::Configuration> ask(std::size_t count) override {
    std::vector<model::Configuration> asked;
    if (seen_.size() < kModelled) {
      asked = model_->ask(count);
      for (const model::Configuration& configuration : asked) seen_.insert(*space_.index_of(configuration));
    }
    while (asked.size() < count) {
      std::vector<model::Configuration> next = local_->ask(1);
      if (next.empty()) break;
      if (seen_.insert(*space_.index_of(next.front())).second) asked.push_back(std::move(next.front()));
    }
    return asked;
  }

  void tell(const Observation& observation) override {
    if (const std::optional<std::uint64_t> index = space_.index_of(observation.configuration)) {
      seen_.insert(*index);
    }
    if (!hands_over()) model_->tell(observation);
    local_->tell(observation);
  }

  std::optional<double> expected_gain(std::size_t evaluations) const override {
    return hands_over() ? std::nullopt : model_->expected_gain(evaluations);
  }

 private:
  bool hands_over() const { return seen_.size() >= kModelled; }

  model::Space space_;
  std::unique_ptr<Strategy> model_;
  std::unique_ptr<Strategy> local_;
  std::unordered_set<std::uint64_t>
      seen_;  // Indices of configurations that `ask` returned or `tell` reported.
};

std::unique_ptr<Strategy> make_auto(const model::Space& space, const StrategyOptions& options) {
  const bool budget_suffices = options.evaluations && *options.evaluations >= space.size();
  if (budget_suffices) return exhaustive_strategy().make(space, options);
  return std::make_unique<ModelThenLocal>(space, options);
}

}  // namespace

StrategyInfo auto_strategy() {
  return {"auto",
          "exhaustive if the budget covers the space; else surrogate, and local_search after 400 evaluations",
          "own choice", true, make_auto};
}

}  // namespace warptune::search::strategies
