// Limits a survey to NVTX ranges of one name.
#pragma once

#include <string>

#include "survey/records/survey.h"

namespace warptune::survey::collecting {

/// Removes what did not happen within a range of this name. A call is within a range if it began within one
/// of its process. Work of a GPU is where the call that gave it is; without a known call, its own start
/// counts. The window of the run becomes the time from the first to the last moment of what is left.
/// `unlisted` is removed, because it has no times. If there is no such range, `survey.run.problem` says so.
void limit_to_ranges(records::Survey& survey, const std::string& range);

}  // namespace warptune::survey::collecting
