#pragma once

#include <string>

#include "model/recording.h"
#include "tuner/explaining/explanation.h"

namespace warptune::tuner::text_output {

/// The sections of what `explain` says to people that are tables and lists; each begins with an empty line,
/// or is empty where there is nothing to say.
std::string importance_text(const model::Recording& recording, const explaining::Explanation& explanation);
std::string outlook_text(const search::analysis::Outlook& outlook);

/// How many times as fast, by the ratio of times: `1.31x`.
std::string faster_text(double ratio);

}  // namespace warptune::tuner::text_output
