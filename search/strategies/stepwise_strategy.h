#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "search/strategies/frontier.h"
#include "search/strategy.h"

namespace warptune::search::strategies {

/// A configuration and its objective.
struct Rated {
  model::Configuration configuration;
  double objective = 0.0;
};

/// What all strategies share that pick one configuration at a time: `StrategyOptions::first` comes first,
/// what is not of the space is ignored, and failures, dropped and not finite objectives are told apart here.
class StepwiseStrategy : public Strategy {
 public:
  std::vector<model::Configuration> ask(std::size_t count) final;
  void tell(const Observation& observation) final;

 protected:
  /// `stream` tells the random numbers of one strategy from those of another with the same seed.
  StepwiseStrategy(const model::Space& space, const StrategyOptions& options, std::uint64_t stream)
      : frontier_(space, options), random_(options.seed ^ stream) {}

  /// The next configuration, claimed from the frontier; nothing only when the space is used up.
  virtual std::optional<model::Configuration> propose() = 0;
  /// After each valid observation, once `known`, `best` and `since_best` have it. No objective: it failed.
  virtual void learn(const model::Configuration& configuration, std::uint64_t index,
                     std::optional<double> objective);

  Frontier& frontier() { return frontier_; }
  const model::Space& space() const { return frontier_.space(); }
  base::Random& random() { return random_; }
  /// The least measured objective.
  const std::optional<Rated>& best() const { return best_; }
  /// Valid observations since `best` changed, failures too.
  std::size_t since_best() const { return since_best_; }
  /// What was told of a valid configuration, where that was no failure.
  std::optional<double> known(const model::Configuration& configuration) const;
  /// A valid neighbour of a valid configuration by chance, nothing where there is none. Seen or not.
  std::optional<model::Configuration> random_neighbour(const model::Configuration& configuration,
                                                       model::Neighbourhood kind);

 private:
  std::optional<double> usable_objective(const Observation& observation) const;

  Frontier frontier_;
  base::Random random_;
  std::optional<Rated> best_;
  std::size_t since_best_ = 0;
  std::unordered_map<std::uint64_t, double> known_;
};

}  // namespace warptune::search::strategies
