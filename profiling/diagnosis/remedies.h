#pragma once

#include <vector>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Changes of one parameter that move a rule's target the right way and shorten the time, the fastest first,
/// at most `kMaxRemedies`: from measured rows that differ from this configuration in that parameter alone;
/// where there are none and the target is the occupancy, from what the changed code would take of an SM.
std::vector<ParameterRemedy> parameter_remedies(const Facts& facts, const Target& target);

inline constexpr std::size_t kMaxRemedies = 3;

}  // namespace warptune::profiling::diagnosis
