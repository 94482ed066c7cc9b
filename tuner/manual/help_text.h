#pragma once

#include <cstddef>
#include <string>

#include "tuner/manual/command_description.h"

namespace warptune::tuner::manual {

/// The number of columns of a help text that is not printed on a terminal.
constexpr std::size_t kHelpColumns = 100;

/// An option as it is typed: `-o, --output FILE`.
std::string option_text(const OptionDescription& option);

/// The help of one command in lines of at most `columns`; words that are too long stay whole.
std::string help_text(const CommandDescription& command, std::size_t columns = kHelpColumns);

/// The list of commands, with the program's options and exit codes.
std::string overview_text(const ProgramDescription& program, std::size_t columns = kHelpColumns);

}  // namespace warptune::tuner::manual
