#pragma once

#include <string>
#include <vector>

#include "tuner/replay/strategy_replay.h"

namespace warptune::tuner::replay {

/// An SVG chart of the regret after each number of evaluations: by how many per cent the best time found is
/// above the recorded best (geometric mean over the runs). Both axes are logarithmic. There is one panel for
/// all recordings together and one for each, with one line per strategy. A strategy without runs of a
/// recording has no line in its panel.
std::string regret_plot(const std::vector<StrategyRuns>& runs, const std::vector<ReplayWorkload>& workloads);

}  // namespace warptune::tuner::replay
