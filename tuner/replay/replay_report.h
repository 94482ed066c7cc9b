#pragma once

#include <string>
#include <vector>

#include "tuner/replay/replay_figures.h"

namespace warptune::tuner::replay {

/// The report for people: what was replayed, one table for each computed figure with a row per strategy, and
/// the comparison of each strategy with the first one.
std::string replay_text(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads);

/// The report for programs, as indented JSON. Infinite and unknown numbers are null.
std::string replay_json(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads);

/// The figures as CSV, one for each line, with the columns `strategy,recording,figure,value`. `recording` is
/// `all` for a figure over all recordings. Unknown numbers are empty. The time or the number of evaluations
/// to a margin that no run reached is `inf`.
std::string replay_csv(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads);

}  // namespace warptune::tuner::replay
