#include "search/strategy.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "search/strategies/strategies.h"

namespace warptune::search {

namespace {

constexpr std::array<StrategyInfo, 8> kStrategies = {
    {{"auto",
      "exhaustive where the budget covers the space, else surrogate, after 400 evaluations local_search",
      "own choice", true, strategies::make_auto},
     {"surrogate",
      "expected improvement of a Gaussian process over a pool of candidates and neighbours of the best",
      "Mockus, On Bayesian Methods for Seeking the Extremum, 1975; Jones, Schonlau, Welch, 1998", true,
      strategies::make_surrogate},
     {"exhaustive", "every configuration once, by index", "-", false, strategies::make_exhaustive},
     {"random", "uniform without replacement",
      "index permutation after Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002", false,
      strategies::make_random},
     {"local_search",
      "first improvement over adjacent, then all single changes; kicks from the best; restarts",
      "iterated local search: Lourenco, Martin, Stutzle, Handbook of Metaheuristics, 2003", true,
      strategies::make_local_search},
     {"annealing",
      "single changes, worse ones accepted by a temperature that falls over the budget; reheated after it",
      "Kirkpatrick, Gelatt, Vecchi, Optimization by Simulated Annealing, Science 220, 1983", true,
      strategies::make_annealing},
     {"genetic",
      "steady state: rank-chosen parents, uniform crossover, repair to the nearest valid, one mutation",
      "steady-state replacement after Whitley, The GENITOR Algorithm and Selection Pressure, 1989", true,
      strategies::make_genetic},
     {"differential_evolution", "best/1/bin over value positions, repaired to the nearest valid",
      "Storn, Price, Differential Evolution, Journal of Global Optimization 11, 1997", true,
      strategies::make_differential_evolution}}};

}  // namespace

bool Observation::is_rated() const {
  return (status == model::Status::kMeasured || status == model::Status::kDropped) &&
         std::isfinite(objective);
}

std::span<const StrategyInfo> strategy_table() { return kStrategies; }

const StrategyInfo& strategy_info(std::string_view name) {
  std::vector<std::string> known;
  for (const StrategyInfo& info : kStrategies) {
    if (info.name == name) return info;
    known.emplace_back(info.name);
  }
  throw base::InputError(fmt::format("unknown strategy '{}'{}, expected one of {}", name,
                                     base::did_you_mean(name, known), fmt::join(known, " ")));
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const model::Space& space,
                                        const StrategyOptions& options) {
  return strategy_info(name).make(space, options);
}

}  // namespace warptune::search
