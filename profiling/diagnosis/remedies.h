#pragma once

#include <vector>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Which values of a parameter are tried that no row has: all, or those next to the configuration's.
enum class UnmeasuredValues { kAll, kNext };

/// Changes of one parameter that move a rule's target the right way and shorten the time, the fastest first,
/// at most `kMaxRemedies`: from measured rows that differ from this configuration in that parameter alone;
/// where there are none and the target is the occupancy, from what the changed code would take of an SM.
/// Each such code has to be compiled, so `unmeasured` says how many values are tried.
std::vector<ParameterRemedy> parameter_remedies(const Facts& facts, const Target& target,
                                                UnmeasuredValues unmeasured);

inline constexpr std::size_t kMaxRemedies = 3;

}  // namespace warptune::profiling::diagnosis
