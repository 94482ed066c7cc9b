#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/lab/lab_judgement.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::lab {

/// An experiment for a terminal: its tables, claims with verdict and reason, counters against theory. Lines
/// of prose are broken at `width`; 0: not at all.
std::string lab_text(const LabResult& result, const LabJudgement& judgement, std::size_t width);

/// The same as a JSON object, with all counters of every row.
std::string lab_json(const std::vector<std::pair<const LabResult*, const LabJudgement*>>& experiments);

}  // namespace warptune::tuner::lab
