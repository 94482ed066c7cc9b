// Differential evolution (Storn and Price 1997). A vector has one coordinate per parameter: the position of
// its value in the parameter's list of values.
//
// A trial is the best member plus a multiple of the difference of two random members. Some of its coordinates
// are then replaced by those of another member, its target.
// The differences shrink as the population converges, so the step size adapts itself. The trial is rounded to
// the nearest valid configuration. If that configuration is not new, it is moved to adjacent values, at most
// `kSteps` times. A trial replaces its target if it is at least as good. After `kStuckAfter` evaluations
// without a new best, all members except the best one are replaced by random configurations.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "search/strategies/stepwise_strategy.h"
#include "search/strategies/strategy_list.h"

namespace warptune::search::strategies {

namespace {

constexpr std::size_t kPopulation = 10;
constexpr double kFactorLow = 0.0;  // The factor of the difference is drawn for each trial ("dither").
constexpr double kFactorHigh = 0.8;
// The probability that a parameter of a trial comes from the mutant. One random parameter always does.
constexpr double kCrossover = 0.6;
constexpr int kTrials = 30;  // The maximum number of trials until one is new.
constexpr int kSteps = 2;    // The maximum number of steps to a neighbour from a trial that is not new.
// Evaluations without a new best before all members except the best one are replaced.
constexpr std::size_t kStuckAfter = 60;

class DifferentialEvolution : public StepwiseStrategy {
 public:
  DifferentialEvolution(const model::Space& space, const StrategyOptions& options)
      : StepwiseStrategy(space, options, 0x64696666ULL) {}

 private:
  std::optional<model::Configuration> propose() override {
    if (population_.size() == kPopulation && since_best() - replaced_at_ >= kStuckAfter) {
      population_ = {population_[minimum()]};
      targets_.clear();
      replaced_at_ = since_best();
    }
    if (population_.size() < kPopulation) return frontier().claim_random();
    for (int attempt = 0; attempt < kTrials; ++attempt) {
      target_ = (target_ + 1) % kPopulation;
      std::optional<model::Configuration> trial = space().nearest(mutant_of(target_));
      for (int step = 0; trial; ++step) {
        if (frontier().claim(*trial)) {
          targets_[*space().index_of(*trial)] = target_;
          return trial;
        }
        if (step == kSteps) break;
        trial = random_neighbour(*trial, model::Neighbourhood::kAdjacent);
      }
    }
    return frontier().claim_random();
  }

  void learn(const model::Configuration& configuration, std::uint64_t index,
             std::optional<double> objective) override {
    if (since_best() == 0) replaced_at_ = 0;  // A new best: `since_best` counts from 0 again.
    const auto trial = targets_.extract(index);
    if (!objective) return;
    if (population_.size() < kPopulation) {
      population_.push_back({configuration, *objective});
      return;
    }
    // A trial competes with its target. Any other configuration competes with the worst member.
    Rated& rival = population_[trial.empty() ? worst() : trial.mapped()];
    if (*objective <= rival.objective) rival = {configuration, *objective};
  }

  // DE/best/1/bin of Storn and Price: adds a multiple of the difference of two members to the best one, and
  // crosses the result with the target.
  std::vector<double> mutant_of(std::size_t target) {
    const model::Configuration& base = population_[minimum()].configuration;
    const std::size_t first = other_than(target, target);
    const model::Configuration& plus = population_[first].configuration;
    const model::Configuration& minus = population_[other_than(target, first)].configuration;
    const double factor = kFactorLow + (kFactorHigh - kFactorLow) * random().unit();
    std::vector<double> positions(base.size());
    const std::size_t always = random().below(base.size());
    for (std::size_t p = 0; p < base.size(); ++p) {
      const double last = static_cast<double>(space().parameters()[p].values.size() - 1);
      const double moved = base[p] + factor * (static_cast<double>(plus[p]) - static_cast<double>(minus[p]));
      const bool crossed = random().unit() < kCrossover || p == always;
      positions[p] = crossed ? std::clamp(moved, 0.0, last) : population_[target].configuration[p];
    }
    return positions;
  }

  std::size_t other_than(std::size_t a, std::size_t b) {
    std::size_t member = a;
    while (member == a || member == b) member = random().below(population_.size());
    return member;
  }

  static bool less(const Rated& a, const Rated& b) { return a.objective < b.objective; }
  std::size_t minimum() const {
    return static_cast<std::size_t>(std::min_element(population_.begin(), population_.end(), less) -
                                    population_.begin());
  }
  std::size_t worst() const {
    return static_cast<std::size_t>(std::max_element(population_.begin(), population_.end(), less) -
                                    population_.begin());
  }

  std::vector<Rated> population_;
  std::size_t target_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> targets_;  // Index of a pending trial -> its target.
  std::size_t replaced_at_ = 0;  // The value of `since_best` at the last replacement.
};

std::unique_ptr<Strategy> make_differential_evolution(const model::Space& space,
                                                      const StrategyOptions& options) {
  return std::make_unique<DifferentialEvolution>(space, options);
}

}  // namespace

StrategyInfo differential_evolution_strategy() {
  return {"differential_evolution",
          "best/1/bin over value positions; rounds each trial to the nearest valid one",
          "Storn, Price, Differential Evolution, Journal of Global Optimization 11, 1997", true,
          make_differential_evolution};
}

}  // namespace warptune::search::strategies
