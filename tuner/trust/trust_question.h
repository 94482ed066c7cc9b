#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "kernel_templates/read_scope.h"

namespace warptune::tuner::trust {

/// How the user is asked. A test replaces it.
struct Terminal {
  bool is_interactive = false;  ///< Whether a person can see the question and answer it.
  std::function<void(const std::string& text)> show;
  std::function<std::optional<std::string>()> read_line;  ///< std::nullopt at the end of the input.
};

/// The process's own standard input and standard error. It is interactive if both are terminals.
Terminal process_terminal();

/// Trust that the user gave for this command: it covers every definition. For `--trust`.
std::shared_ptr<kernel_templates::Trust> trust_all_definitions();

/// Trust that the user gives on a terminal. A folder is covered if `file` remembers it, or if the user
/// answers yes, which is then remembered. A definition that others can change is never covered, because it
/// could change after the answer. If the terminal is not interactive, nothing is asked.
std::shared_ptr<kernel_templates::Trust> trust_by_question(std::filesystem::path file, Terminal terminal);

}  // namespace warptune::tuner::trust
