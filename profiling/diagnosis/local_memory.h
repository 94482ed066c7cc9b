#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Returns the number of warp instructions that load or store local memory.
double local_instructions(const Facts& facts);

/// Makes a finding about the cost of local memory. The cost is the larger of two bounds. One is its share of
/// the instructions, times the use of issue slots. The other is its share of the sectors in L1, times the
/// share of time in which memory may be the limit.
Finding local_memory_finding(const Facts& facts, std::string title, std::vector<Evidence> evidence);

/// Returns `first` and the metrics that the finding reads.
std::vector<std::string_view> local_memory_reads(std::vector<std::string_view> first);

}  // namespace warptune::profiling::diagnosis
