// The one list of search strategies.
#pragma once

#include "search/strategy.h"

// The order is the one in which help and messages list the strategies. A strategy needs a line here and a
// function NAME_strategy() in a file of this folder. A line without a function does not link. A function
// without a line fails a test.
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
