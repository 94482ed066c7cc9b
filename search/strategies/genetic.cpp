// A steady-state genetic algorithm (after Whitley 1989).
//
// The population holds the best configurations so far. A child takes each parameter from one of two parents,
// which are chosen by rank. It is repaired to the nearest valid configuration, and it may change one
// parameter to an adjacent value. Mutation becomes more probable while children are not new. After many
// evaluations without a new best, only the best member stays. Random configurations then fill the population.
#include <algorithm>
#include <cmath>
#include <utility>

#include "search/strategies/stepwise_strategy.h"
#include "search/strategies/strategy_list.h"

namespace warptune::search::strategies {

namespace {

constexpr std::size_t kStarts = 10;     // Random configurations before the first child.
constexpr std::size_t kPopulation = 8;  // The best configurations so far.
constexpr double kRankBias = 2.0;       // A parent's rank is population * u^bias, u uniform in [0, 1).
constexpr double kMutation = 0.5;       // The probability for the first child; 0.1 more for each further one.
constexpr int kChildren = 30;           // The maximum number of children until one is new.
constexpr std::size_t kStuckAfter = 40;  // Evaluations without a new best before all others are replaced.

class Genetic : public StepwiseStrategy {
 public:
  Genetic(const model::Space& space, const StrategyOptions& options)
      : StepwiseStrategy(space, options, 0x67656E65ULL) {}

 private:
  std::optional<model::Configuration> propose() override {
    if (population_.size() == kPopulation && since_best() - replaced_at_ >= kStuckAfter) {
      population_.resize(1);
      replaced_at_ = since_best();
      random_until_ = frontier().seen() + kPopulation / 2;
    }
    if (frontier().seen() < random_until_ || population_.size() < 2) return frontier().claim_random();
    for (int attempt = 0; attempt < kChildren; ++attempt) {
      model::Configuration child = crossed();
      if (random().unit() < kMutation + 0.1 * attempt)
        child = random_neighbour(child, model::Neighbourhood::kAdjacent).value_or(child);
      if (frontier().claim(child)) return child;
    }
    return frontier().claim_random();
  }

  void learn(const model::Configuration& configuration, std::uint64_t /*index*/,
             std::optional<double> objective) override {
    if (since_best() == 0) replaced_at_ = 0;
    if (!objective) return;
    const auto place = std::upper_bound(population_.begin(), population_.end(), *objective,
                                        [](double value, const Rated& one) { return value < one.objective; });
    population_.insert(place, Rated{configuration, *objective});
    if (population_.size() > kPopulation) population_.pop_back();
  }

  // Takes each parameter from one of two parents at random. Returns the nearest valid configuration.
  model::Configuration crossed() {
    const std::size_t first = parent();
    std::size_t second = parent();
    while (second == first) second = random().below(population_.size());
    std::vector<double> positions;
    for (std::size_t p = 0; p < space().parameters().size(); ++p)
      positions.push_back(population_[random().below(2) == 0 ? first : second].configuration[p]);
    return space().nearest(positions);
  }

  std::size_t parent() {
    return static_cast<std::size_t>(static_cast<double>(population_.size()) *
                                    std::pow(random().unit(), kRankBias));
  }

  std::vector<Rated> population_;       // In ascending order of the objective.
  std::size_t random_until_ = kStarts;  // The number of configurations seen at which children begin.
  std::size_t replaced_at_ = 0;         // The value of `since_best` at the last replacement.
};

std::unique_ptr<Strategy> make_genetic(const model::Space& space, const StrategyOptions& options) {
  return std::make_unique<Genetic>(space, options);
}

}  // namespace

StrategyInfo genetic_strategy() {
  return {
      "genetic",
      "steady state: parents chosen by rank, uniform crossover, repair to the nearest valid, one mutation",
      "steady-state replacement after Whitley, The GENITOR Algorithm and Selection Pressure, 1989", true,
      make_genetic};
}

}  // namespace warptune::search::strategies
