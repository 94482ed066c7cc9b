#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::kernel_templates::nvcc {

struct ProgramRun {
  /// The program's exit status, or 128 plus the number of the signal that ended it; -1 if it was not started.
  int exit_code = -1;
  std::string output;  ///< What the program wrote to standard output and error, at most 4 MiB.
};

/// Runs a program and waits for it. The first of `arguments` is the path of the program. Its environment is
/// `environment`, and its output goes to the new file `output`. The program is killed when this process ends.
ProgramRun run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                       const std::filesystem::path& output);

}  // namespace warptune::kernel_templates::nvcc
