#include "search/strategies/strategies.h"

namespace warptune::search::detail {

std::unique_ptr<Strategy> make_auto(const Space& space, const StrategyOptions& options) {
  const bool budget_suffices = options.evaluations && *options.evaluations >= space.size();
  return budget_suffices ? make_exhaustive(space, options) : make_local_search(space, options);
}

}  // namespace warptune::search::detail
