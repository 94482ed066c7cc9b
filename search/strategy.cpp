#include "search/strategy.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "search/strategies/strategy_list.h"

namespace warptune::search {

bool Observation::is_rated() const {
  return (status == model::Status::kMeasured || status == model::Status::kDropped) &&
         std::isfinite(objective);
}

std::span<const StrategyInfo> strategy_table() {
// Each strategy of the list becomes a call of its function, which returns the strategy.
#define WARPTUNE_MADE(name) strategies::name##_strategy(),
  static const std::array all = {WARPTUNE_STRATEGIES(WARPTUNE_MADE)};
#undef WARPTUNE_MADE
  return all;
}

const StrategyInfo& strategy_info(std::string_view name) {
  std::vector<std::string> known;
  for (const StrategyInfo& info : strategy_table()) {
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
