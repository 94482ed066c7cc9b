#include <algorithm>
#include <cmath>
#include <utility>

#include "search/strategies/stepwise_strategy.h"
#include "search/strategies/strategy_list.h"

namespace warptune::search::strategies {

namespace {

constexpr std::size_t kStarts = 12;         // By chance; the best of them is where the walk begins.
constexpr std::size_t kLongestCycle = 200;  // Evaluations from hot to cold, or the budget if that is less.
constexpr std::size_t kStuckAfter = 40;     // Evaluations without a new best before the walk returns to it.
constexpr int kSteps = 100;                 // Over known configurations, which cost nothing, for one new one.
constexpr int kLongSteps = 50;              // The steps after so many in vain are two changes long.
constexpr double kAdjacentShare = 0.7;      // Of the steps; the others change one parameter to any value.
// Temperatures in units of how far the median start lies above the best.
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

  // Metropolis' rule; while the starts are looked at, only what is better.
  bool accepts(double objective) {
    const double loss = objective - current_->objective;
    if (loss <= 0.0) return true;
    if (starts_.size() < kStarts || !best()) return false;
    const double done = static_cast<double>(frontier().seen() - cycle_start_) / static_cast<double>(cycle_);
    const double temperature = kHot * std::pow(kCold / kHot, std::min(done, 1.0));
    return random().unit() < std::exp(-loss / (temperature * scale()));
  }

  // How far the median start lies above the best; 0 where they are equal, at which nothing worse is accepted.
  double scale() {
    const auto median = starts_.begin() + static_cast<std::ptrdiff_t>(starts_.size() / 2);
    std::nth_element(starts_.begin(), median, starts_.end());
    return std::max(0.0, *median - best()->objective);
  }

  std::size_t cycle_;
  std::size_t cycle_start_ = 0;   // In configurations seen.
  std::size_t returned_at_ = 0;   // In evaluations since the best.
  std::optional<Rated> current_;  // Where the walk stands.
  std::vector<double> starts_;    // The first objectives, in no order.
};

std::unique_ptr<Strategy> make_annealing(const model::Space& space, const StrategyOptions& options) {
  return std::make_unique<Annealing>(space, options);
}

}  // namespace

StrategyInfo annealing_strategy() {
  return {
      "annealing",
      "single changes, worse ones accepted by a temperature that falls over the budget; reheated after it",
      "Kirkpatrick, Gelatt, Vecchi, Optimization by Simulated Annealing, Science 220, 1983", true,
      make_annealing};
}

}  // namespace warptune::search::strategies
