#include <algorithm>
#include <cmath>
#include <utility>

#include "search/strategies/stepwise_strategy.h"
#include "search/strategies/strategy_list.h"

namespace warptune::search::strategies {

namespace {

constexpr std::size_t kStarts = 10;     // By chance, before the first child.
constexpr std::size_t kPopulation = 8;  // The best so far.
constexpr double kRankBias = 2.0;       // A parent's rank is population * u^bias, u uniform in [0, 1).
constexpr double kMutation = 0.5;       // Chance of the first child drawn; of those after, a tenth more each.
constexpr int kChildren = 30;           // Drawn for one that is new.
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

  // Each parameter from one of two parents by chance, then the nearest valid configuration.
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

  std::vector<Rated> population_;       // The best first.
  std::size_t random_until_ = kStarts;  // In configurations seen.
  std::size_t replaced_at_ = 0;         // In evaluations since the best.
};

std::unique_ptr<Strategy> make_genetic(const model::Space& space, const StrategyOptions& options) {
  return std::make_unique<Genetic>(space, options);
}

}  // namespace

StrategyInfo genetic_strategy() {
  return {"genetic",
          "steady state: rank-chosen parents, uniform crossover, repair to the nearest valid, one mutation",
          "steady-state replacement after Whitley, The GENITOR Algorithm and Selection Pressure, 1989", true,
          make_genetic};
}

}  // namespace warptune::search::strategies
