#pragma once

#include <span>
#include <string_view>

#include "base/error.h"

namespace warptune::base {

/// The meaning of an exit code of the program.
struct ExitCodeInfo {
  ExitCode code;
  std::string_view summary;  ///< A few words, for the overview of commands.
  std::string_view meaning;  ///< A sentence of the manual.
};
/// All exit codes in ascending order: the one table from which help and manual are printed.
std::span<const ExitCodeInfo> exit_codes();

}  // namespace warptune::base
