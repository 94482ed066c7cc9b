#pragma once

#include <string>
#include <vector>

#include "model/recording.h"
#include "tuner/explaining/explanation.h"

namespace warptune::tuner::text_output {

/// Two sections of the text of `warptune explain`. Each begins with an empty line; a section without content
/// is an empty text.
std::string importance_text(const model::Recording& recording, const explaining::Explanation& explanation);
std::string next_steps_text(const search::analysis::NextSteps& next_steps);
/// The lines of `next_steps_text` below its title.
std::vector<std::string> next_steps_lines(const search::analysis::NextSteps& next_steps);

/// The speed-up, such as `1.31x`. `ratio` is the time after a change divided by the time before.
std::string speed_up_text(double ratio);

}  // namespace warptune::tuner::text_output
