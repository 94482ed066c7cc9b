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
/// Whether a program is found in PATH.
bool has_program(const std::string& name);
/// Compiles a text with NVRTC for sm_90 and returns the errors and warnings, which may be empty. Throws
/// `base::MachineError` if NVRTC is missing.
std::string nvrtc_errors(const std::string& source);

}  // namespace warptune::db::testing
