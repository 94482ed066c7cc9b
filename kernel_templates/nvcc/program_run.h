#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::kernel_templates::nvcc {

struct ProgramRun {
  int exit_code =
      -1;  ///< 128 plus the number of the signal that ended the program. -1: it could not be started.
  std::string output;  ///< What the program wrote to standard output and error, at most 4 MiB.
};

/// Runs a program and waits for it. The first of `arguments` is the path of the program. Its environment is
/// `environment`, and its output goes to the new file `output`. It is killed when this process ends.
ProgramRun run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                       const std::filesystem::path& output);

}  // namespace warptune::kernel_templates::nvcc
