#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::db::testing {

struct ProgramResult {
  int code = -1;
  std::string output;  ///< Standard output and error.
};

/// Runs a shell command.
ProgramResult run_command(const std::string& command);
/// Whether a program is on the path.
bool has_program(const std::string& name);
/// Compiles text with NVRTC for sm_90; its errors and warnings, empty when it has none. Throws
/// `base::MachineError` without NVRTC.
std::string nvrtc_errors(const std::string& source);

}  // namespace warptune::db::testing
