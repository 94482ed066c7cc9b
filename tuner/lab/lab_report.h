#pragma once

#include <string>

#include "tuner/lab/lab_judgement.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::lab {

/// The text of an experiment for a terminal: tables, claims with verdict and reason, and counters compared
/// with theory. Prose is wrapped at `width` columns; 0 sets no limit.
std::string lab_text(const LabResult& result, const LabJudgement& judgement, std::size_t width);

}  // namespace warptune::tuner::lab
