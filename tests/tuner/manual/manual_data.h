#pragma once

#include "tuner/manual/command_description.h"

namespace warptune::tuner::manual {

/// A program of one command, `brew BEAN|FILE...`, whose texts hold what roff and shells read specially.
ProgramDescription coffee_program();

}  // namespace warptune::tuner::manual
