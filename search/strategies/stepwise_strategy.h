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

/// A configuration with its objective.
struct Rated {
  model::Configuration configuration;
  double objective = 0.0;
};

/// The base of all strategies that choose one configuration at a time.
///
/// It asks for the configurations of `StrategyOptions::first` first. It ignores observations of
/// configurations outside of the space. It decides which objectives count: those of failures and those that
/// are not finite do not.
class StepwiseStrategy : public Strategy {
 public:
  std::vector<model::Configuration> ask(std::size_t count) final;
  void tell(const Observation& observation) final;

 protected:
  /// `stream` is a constant of each strategy. With it, two strategies with the same seed use different random
  /// numbers.
  StepwiseStrategy(const model::Space& space, const StrategyOptions& options, std::uint64_t stream)
      : frontier_(space, options), random_(options.seed ^ stream) {}

  /// Chooses the next configuration and claims it from the frontier. Returns std::nullopt only if the space
  /// is exhausted.
  virtual std::optional<model::Configuration> propose() = 0;
  /// Called after each observation of a valid configuration, when `known`, `best` and `since_best` already
  /// include it. `objective` is std::nullopt for a failure.
  virtual void learn(const model::Configuration& configuration, std::uint64_t index,
                     std::optional<double> objective);

  Frontier& frontier() { return frontier_; }
  const model::Space& space() const { return frontier_.space(); }
  base::Random& random() { return random_; }
  /// The configuration with the smallest measured objective.
  const std::optional<Rated>& best() const { return best_; }
  /// The number of observations since `best` changed, failures included.
  std::size_t since_best() const { return since_best_; }
  /// The objective that `tell` reported for a valid configuration. Returns std::nullopt if it reported none,
  /// or if the configuration failed.
  std::optional<double> known(const model::Configuration& configuration) const;
  /// A random valid neighbour of a valid configuration, whether it was seen or not. Returns std::nullopt if
  /// the configuration has no neighbour.
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
