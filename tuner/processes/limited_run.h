#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"

namespace warptune::tuner::processes {

/// How a program of `run_with_limit` ended. Both are empty if it was killed at its time limit, or because the
/// work was cancelled.
struct LimitedRun {
  std::optional<int> exit_code;
  std::optional<int> signal;
};

/// Runs a program in a process group of its own, and waits for it. `arguments` begin with the path of the
/// program. Its output goes to the file `output`, and it inherits no other descriptor. After `limit`, or when
/// the work is cancelled, the whole group is killed. The program is also killed when this process ends; what
/// it has started is not. Throws `base::MachineError` if the program cannot be started.
LimitedRun run_with_limit(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment, const std::filesystem::path& output,
                          std::chrono::milliseconds limit, const base::Cancellation& cancellation);

}  // namespace warptune::tuner::processes
