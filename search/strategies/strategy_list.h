// The one list of search strategies.
#pragma once

#include "search/strategy.h"

// In the order in which they are listed to people: a line here and the function NAME_strategy() in a file of
// this folder are a strategy. A line without its function does not link; a function without its line fails a
// test.
#define WARPTUNE_STRATEGIES(STRATEGY) \
  STRATEGY(auto)                      \
  STRATEGY(surrogate)                 \
  STRATEGY(exhaustive)                \
  STRATEGY(random)                    \
  STRATEGY(local_search)              \
  STRATEGY(annealing)                 \
  STRATEGY(genetic)                   \
  STRATEGY(differential_evolution)

namespace warptune::search::strategies {

#define WARPTUNE_DECLARED(name) StrategyInfo name##_strategy();
WARPTUNE_STRATEGIES(WARPTUNE_DECLARED)
#undef WARPTUNE_DECLARED

}  // namespace warptune::search::strategies
