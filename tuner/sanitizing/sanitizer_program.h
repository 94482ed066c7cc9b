#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/sanitizing/sanitizer_output.h"

namespace warptune::tuner::sanitizing {

/// The program compute-sanitizer: that of a CUDA Toolkit (`base::cuda_program_folders`), or else the first
/// one in `PATH`. Throws `base::MachineError` if there is none.
std::filesystem::path find_sanitizer();

/// The command line that runs `command` under a tool, and writes what the tool reports to `report`.
std::vector<std::string> sanitizer_command(const std::filesystem::path& program, SanitizerTool tool,
                                           const std::filesystem::path& report,
                                           const std::vector<std::string>& command);

}  // namespace warptune::tuner::sanitizing
