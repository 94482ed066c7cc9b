#pragma once

#include <string>
#include <vector>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Warp instructions that load or store local memory.
double local_instructions(const Facts& facts);

/// What local memory costs: of the instructions at the rate they are issued, or of the sectors that pass L1,
/// whichever is more.
Finding local_memory_finding(const Facts& facts, std::string title, std::vector<Evidence> evidence);

}  // namespace warptune::profiling::diagnosis
