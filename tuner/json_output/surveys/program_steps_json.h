#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "tuner/explaining/traced_program.h"

namespace warptune::tuner::json_output::surveys {

/// A traced host program: its steps in groups and in the run with the median time, how the GPU spent the
/// time, and the findings. Null if there is none. The steps are null if nothing was recorded; `problem` says
/// why.
nlohmann::ordered_json program_steps_json(const std::optional<explaining::TracedProgram>& program);

}  // namespace warptune::tuner::json_output::surveys
