#pragma once

#include <string>

#include "tuner/manual/command_description.h"

namespace warptune::tuner::manual {

/// `warptune-tune`: what the page of a command is called. That of the program is called `warptune`.
std::string man_page_name(const CommandDescription& command);

/// The manual page of the program, section 1, in roff with the macros of man(7).
std::string program_man_page(const ProgramDescription& program);

/// That of one of its commands.
std::string command_man_page(const ProgramDescription& program, const CommandDescription& command);

}  // namespace warptune::tuner::manual
