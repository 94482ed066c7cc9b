#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/replay/strategy_replay.h"

namespace warptune::tuner::replay {

/// Reads runs of another tuner's strategies over the same recordings: a CSV file whose first line names the
/// columns, `strategy,recording,repeat,evaluation,objective_ns,seconds` in any order, others ignored; cells
/// may stand in quotes (RFC 4180). `recording` is a workload's name; evaluations of a run count from 1;
/// `objective_ns` is empty for a failure; `seconds`, the simulated time when the evaluation ended, may be
/// empty or missing. Runs of recordings that are no workload are left out, which the log says. Throws
/// `base::InputError` naming file and line.
std::vector<StrategyRuns> read_traces(const std::filesystem::path& path,
                                      const std::vector<ReplayWorkload>& workloads);

/// The same form, names in quotes where they hold a comma or a quote. Throws `base::InputError` for a name
/// with a line break.
std::string traces_csv(const std::vector<StrategyRuns>& runs, const std::vector<ReplayWorkload>& workloads);

}  // namespace warptune::tuner::replay
