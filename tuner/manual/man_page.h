#pragma once

#include <string>

#include "tuner/manual/command_description.h"

namespace warptune::tuner::manual {

/// The name of a command's page, such as `warptune-tune`. The program's page is called `warptune`.
std::string man_page_name(const CommandDescription& command);

/// The manual page of the program, section 1, in roff with the macros of man(7).
std::string program_man_page(const ProgramDescription& program);

/// The manual page of one command of the program, in the same form.
std::string command_man_page(const ProgramDescription& program, const CommandDescription& command);

}  // namespace warptune::tuner::manual
