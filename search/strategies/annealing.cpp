// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983).
//
// The walk begins at the best of a few random configurations. Each step changes one parameter. A better
// configuration is always accepted. A worse one is accepted with the probability exp(-loss / temperature)
// (Metropolis et al. 1953). The temperature falls geometrically during a cycle. The unit of the loss is
// measured: it is the difference between the median of the starts and the best.
//
// A step to a known configuration needs no evaluation. The walk therefore makes up to 100 such steps until it
// reaches a new configuration. After a cycle, or after many evaluations without a new best, it returns to the
// best configuration.
#include <algorithm>
#include <cmath>
#include <utility>

#include "search/strategies/stepwise_strategy.h"
#include "search/strategies/strategy_list.h"

namespace warptune::search::strategies {

namespace {

constexpr std::size_t kStarts = 12;         // Random configurations; the walk begins at the best of them.
constexpr std::size_t kLongestCycle = 200;  // Evaluations from hot to cold, at most the budget.
constexpr std::size_t kStuckAfter = 40;     // Evaluations without a new best before the walk returns to it.
constexpr int kSteps = 100;                 // The maximum number of steps until a new configuration.
constexpr int kLongSteps = 50;              // After so many steps each step changes two parameters.
constexpr double kAdjacentShare = 0.7;  // The share of steps to an adjacent value; others go to any value.
// Temperatures. The unit is the difference between the median of the starts and the best.
constexpr double kHot = 0.1;
constexpr double kCold = 0.02;

class Annealing : public StepwiseStrategy {
 public:
  Annealing(const model::Space& space, const StrategyOptions& options)
      : StepwiseStrategy(space, options, 0x616E6E65616CULL),
        cycle_(std::clamp<std::uint64_t>(options.evaluations.value_or(kLongestCycle), 1, kLongestCycle)) {}

 private:
  std::optional<model::Configuration> propose() override {
    if (frontier().seen() < kStarts || !best()) return frontier().claim_random();
    if (frontier().seen() - cycle_start_ >= cycle_) {
      cycle_start_ = frontier().seen();
      current_ = best();
    }
    if (since_best() - returned_at_ >= kStuckAfter) {
      returned_at_ = since_best();
      current_ = best();
    }
    for (int step = 0; step < kSteps; ++step) {
      const bool adjacent = random().unit() < kAdjacentShare;
      std::optional<model::Configuration> next =
          random_neighbour(current_->configuration,
                           adjacent ? model::Neighbourhood::kAdjacent : model::Neighbourhood::kHamming);
      if (next && step > kLongSteps) next = random_neighbour(*next, model::Neighbourhood::kHamming);
      if (!next) continue;
      if (frontier().claim(*next)) return next;
      const std::optional<double> objective = known(*next);
      if (objective && accepts(*objective)) current_ = Rated{*std::move(next), *objective};
    }
    return frontier().claim_random();
  }

  void learn(const model::Configuration& configuration, std::uint64_t /*index*/,
             std::optional<double> objective) override {
    if (since_best() == 0) returned_at_ = 0;
    if (!objective) return;
    if (starts_.size() < kStarts) starts_.push_back(*objective);
    if (!current_ || accepts(*objective)) current_ = Rated{configuration, *objective};
  }

  // The rule of Metropolis. During the starts only better configurations are accepted.
  bool accepts(double objective) {
    const double loss = objective - current_->objective;
    if (loss <= 0.0) return true;
    if (starts_.size() < kStarts || !best()) return false;
    const double done = static_cast<double>(frontier().seen() - cycle_start_) / static_cast<double>(cycle_);
    const double temperature = kHot * std::pow(kCold / kHot, std::min(done, 1.0));
    return random().unit() < std::exp(-loss / (temperature * scale()));
  }

  // The difference between the median of the starts and the best. If it is 0, nothing worse is accepted.
  double scale() {
    const auto median = starts_.begin() + static_cast<std::ptrdiff_t>(starts_.size() / 2);
    std::nth_element(starts_.begin(), median, starts_.end());
    return std::max(0.0, *median - best()->objective);
  }

  std::size_t cycle_;
  std::size_t cycle_start_ = 0;   // The number of configurations seen when the cycle began.
  std::size_t returned_at_ = 0;   // The value of `since_best` at the last return to the best.
  std::optional<Rated> current_;  // The current position of the walk.
  std::vector<double> starts_;    // The objectives of the starts, in no order.
};

std::unique_ptr<Strategy> make_annealing(const model::Space& space, const StrategyOptions& options) {
  return std::make_unique<Annealing>(space, options);
}

}  // namespace

StrategyInfo annealing_strategy() {
  return {"annealing",
          "changes one parameter a step and accepts worse times by a falling temperature; reheats at the end",
          "Kirkpatrick, Gelatt, Vecchi, Optimization by Simulated Annealing, Science 220, 1983", true,
          make_annealing};
}

}  // namespace warptune::search::strategies
