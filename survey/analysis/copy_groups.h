// The copies of a survey by their kind.
#pragma once

#include <optional>
#include <vector>

#include "survey/analysis/survey_analysis.h"

namespace warptune::survey::analysis {

/// All copies by direction, kinds of memory and call, the group with the longest sum first. `link` is the
/// rate of the host link in bytes per second, if it is known.
std::vector<CopyGroup> copy_groups(const records::Survey& survey, std::optional<double> link);

}  // namespace warptune::survey::analysis
