// Limits a survey to NVTX ranges of one name.
#pragma once

#include <string>

#include "survey/records/survey.h"

namespace warptune::survey::collecting {

/// Removes what has nothing to do with the ranges of this name. These are left:
/// * work that was given to the GPU within a range (`RangeTimes::has_work`),
/// * other work that ran while a range was open, with the call that gave it. The GPU was not idle then.
/// * calls of a process that were running while one of its ranges was open,
/// * ranges of other names that began within one.
///
/// The window of the run becomes the time from the first to the last moment of the ranges and of the work and
/// the calls that began within them. `unlisted` is removed, because it has no times. If there is no such
/// range, `survey.run.problem` says so.
void limit_to_ranges(records::Survey& survey, const std::string& range);

}  // namespace warptune::survey::collecting
