// Runs a program whose output goes to a file.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"

namespace warptune::base::programs {

/// How a program ended. Both are empty if it was killed at its time limit, or because the work was cancelled.
struct ProgramEnd {
  std::optional<int> exit_code{};
  std::optional<int> signal{};
};

/// When a program is killed before it has ended. The cancellation must outlive the program.
struct ProgramLimit {
  std::chrono::milliseconds time;
  const Cancellation& cancellation;
};

/// Runs a program and waits for it. `arguments` begin with the path of the program. Its standard output and
/// error go to the new file `output`, and it inherits no other descriptor. It is killed when this process
/// ends; what it has started is not. With `limit`, it has a process group of its own. The whole group is
/// killed when the program has ended, after the time, or when the work is cancelled. Throws `MachineError` if
/// the program cannot be started: it ends with 127, which a shell returns for that, and has printed nothing.
ProgramEnd run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                       const std::filesystem::path& output,
                       const std::optional<ProgramLimit>& limit = std::nullopt);

}  // namespace warptune::base::programs
