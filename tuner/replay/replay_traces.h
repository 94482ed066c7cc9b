#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/replay/strategy_replay.h"

namespace warptune::tuner::replay {

/// Reads runs of another tuner's strategies over the same recordings from a CSV file.
///
/// The first line names the columns `strategy,recording,repeat,evaluation,objective_ns,seconds` in any order.
/// Other columns are ignored. Cells may be in quotes (RFC 4180). `recording` is a workload's name. The
/// evaluations of a run count from 1. `objective_ns` is empty for a failure. `seconds` is the simulated time
/// at the end of the evaluation. It may be empty or missing.
///
/// Runs of recordings that are not among the workloads are left out, with a warning in the log. Throws
/// `base::InputError` that names file and line.
std::vector<StrategyRuns> read_traces(const std::filesystem::path& path,
                                      const std::vector<ReplayWorkload>& workloads);

/// Writes runs in the same form. Names with a comma or a quote are quoted. Throws `base::InputError` for a
/// name with a line break.
std::string traces_csv(const std::vector<StrategyRuns>& runs, const std::vector<ReplayWorkload>& workloads);

}  // namespace warptune::tuner::replay
