#pragma once

#include <string>
#include <vector>

#include "tuner/replay/strategy_replay.h"

namespace warptune::tuner::replay {

/// An SVG picture: how far the best found is above the recorded best (geometric mean over runs, in per cent)
/// by the number of evaluations, both axes logarithmic; one panel for all recordings together, one for each,
/// one line a strategy. A strategy without runs of a recording has no line there.
std::string regret_plot(const std::vector<StrategyRuns>& runs, const std::vector<ReplayWorkload>& workloads);

}  // namespace warptune::tuner::replay
