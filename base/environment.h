#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warptune::base {

/// The variables of the environment that the program reads by name. Only the functions below read them.
enum class Variable {
  kDataHome,
  kCacheHome,
  kHome,
  kShare,
  kSystemDatabase,
  kFleetStore,
  kCudaPath,
  kCudaHome,
  kToolkitPath,
  kVisibleDevices,
  kLibraryPath,
  kProgramPath,
  kRecordingMib,
  kWarmWorkers,
  kRuntimeFolder,
  kNoColour,
  kTerminal,
  kCxx,
  kCudaInjection,
  kNvtxInjection,
  kLogLevel,
  kWorker,
};

/// A row of the table of variables. The manual prints this table.
struct VariableInfo {
  Variable variable;
  const char* name;
  std::string_view meaning;  ///< A sentence of the manual; empty when only warptune itself sets the variable.
};
/// All variables, in the order of `Variable`.
std::span<const VariableInfo> environment_variables();

const char* name_of(Variable variable);
/// The value of a variable, which may be empty. Returns std::nullopt when the variable is not set.
std::optional<std::string> environment(Variable variable);
/// The value of a variable. Returns an empty text when the variable is not set.
std::string environment_text(Variable variable);

/// Whether text for people may have colour on a stream: the stream is a terminal, the variable NO_COLOR is
/// unset or empty (https://no-color.org), and TERM is not `dumb`.
bool shows_colour(std::FILE* stream);

}  // namespace warptune::base
