#pragma once

#include <string>
#include <vector>

#include "tuner/replay/replay_figures.h"

namespace warptune::tuner::replay {

/// For people: what was replayed, one table a figure with a row a strategy, and the comparison with the first
/// strategy.
std::string replay_text(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads);

/// The same for programs, as indented JSON; infinite and unknown numbers are null.
std::string replay_json(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads);

/// The same as a long table: `strategy,recording,figure,value`; `recording` is `all` for what spans them,
/// unknown numbers are empty, unreached ones `inf`.
std::string replay_csv(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads);

}  // namespace warptune::tuner::replay
