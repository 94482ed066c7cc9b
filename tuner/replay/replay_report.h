#pragma once

#include <string>
#include <vector>

#include "tuner/replay/replay_figures.h"

namespace warptune::tuner::replay {

/// The report for people: what was replayed, one table per figure with a row per strategy, and the comparison
/// with the first strategy.
std::string replay_text(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads);

/// The same for programs, as indented JSON. Infinite and unknown numbers are null.
std::string replay_json(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads);

/// The same as a long table with the columns `strategy,recording,figure,value`. `recording` is `all` for a
/// figure over all recordings. Unknown numbers are empty. What no run reached is `inf`.
std::string replay_csv(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads);

}  // namespace warptune::tuner::replay
