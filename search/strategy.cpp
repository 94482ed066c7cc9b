#include "search/strategy.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/text.h"
#include "search/strategies/strategies.h"

namespace warptune::search {

namespace {

constexpr std::array<StrategyInfo, 4> kStrategies = {
    {{"auto", "exhaustive where the budget covers the space, else local_search", "own choice",
      detail::make_auto},
     {"exhaustive", "every configuration once, by index", "-", detail::make_exhaustive},
     {"random", "uniform without replacement",
      "index permutation after Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002",
      detail::make_random},
     {"local_search",
      "first improvement over adjacent, then all single changes; kicks from the best; restarts",
      "iterated local search: Lourenco, Martin, Stutzle, Handbook of Metaheuristics, 2003",
      detail::make_local_search}}};

}  // namespace

std::span<const StrategyInfo> strategies() { return kStrategies; }

std::unique_ptr<Strategy> make_strategy(std::string_view name, const Space& space,
                                        const StrategyOptions& options) {
  std::vector<std::string> known;
  for (const StrategyInfo& info : kStrategies) {
    if (info.name == name) return info.make(space, options);
    known.emplace_back(info.name);
  }
  throw base::InputError(fmt::format("unknown strategy '{}'{}, expected one of {}", name,
                                     base::did_you_mean(name, known), fmt::join(known, " ")));
}

}  // namespace warptune::search
