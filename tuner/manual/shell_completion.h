#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tuner/manual/command_description.h"

namespace warptune::tuner::manual {

/// A shell that completes warptune's command line by a script.
struct Shell {
  std::string_view name;
  std::string_view file;  ///< Where the shell looks for the script, below `share`.
  std::string (*write)(const ProgramDescription& program);
};
std::span<const Shell> shells();

/// The shell of that name. Throws `base::InputError` with the names where there is none.
const Shell& shell_named(std::string_view name);

/// The script of each shell: commands, their options, and the values that are known.
std::string bash_completion(const ProgramDescription& program);
std::string zsh_completion(const ProgramDescription& program);
std::string fish_completion(const ProgramDescription& program);

/// `text` in single quotes; `quote` is what the shell writes for a single quote within them.
std::string quoted(std::string_view text, std::string_view quote);
/// The first clause of a help text, which a shell shows beside an option.
std::string first_clause(std::string_view help);

}  // namespace warptune::tuner::manual
