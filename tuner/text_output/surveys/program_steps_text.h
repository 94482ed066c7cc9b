#pragma once

#include <string>

#include "tuner/explaining/traced_program.h"

namespace warptune::tuner::text_output::surveys {

/// The text of a traced program. It says how the GPU spent the time, lists the steps, and has the findings.
/// If there are few steps, it also has their order in one run. `timed_ns` is the time of the program without
/// a trace, or 0 if it is unknown. `title` begins the first line: `Steps of the program`.
std::string program_steps_text(const explaining::TracedProgram& program, double timed_ns,
                               const std::string& title);

}  // namespace warptune::tuner::text_output::surveys
