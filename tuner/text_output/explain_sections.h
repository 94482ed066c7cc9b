#pragma once

#include <string>

#include "model/recording.h"
#include "tuner/explaining/explanation.h"

namespace warptune::tuner::text_output {

/// The sections of what `explain` says to people that are tables and lists; each begins with an empty line,
/// or is empty where there is nothing to say.
std::string importance_text(const model::Recording& recording, const explaining::Explanation& explanation);
std::string next_steps_text(const search::analysis::NextSteps& next_steps);

/// How many times as fast, by the ratio of times: `1.31x`.
std::string faster_text(double ratio);

}  // namespace warptune::tuner::text_output
