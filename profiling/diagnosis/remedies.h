#pragma once

#include <vector>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Which values without a measured row are tried: all of a parameter, or only the two next to the current
/// one.
enum class UnmeasuredValues { kAll, kNext };

/// Returns changes of one parameter that move a rule's target in the right direction and shorten the time.
/// The fastest come first, at most `kMaxRemedies`. They come from measured rows that differ from this
/// configuration only in that parameter. If there are none and the target is the occupancy, they come from
/// the resources of the changed code. That code is compiled but not measured, so `unmeasured` limits how many
/// values are tried.
std::vector<ParameterRemedy> parameter_remedies(const Facts& facts, const Target& target,
                                                UnmeasuredValues unmeasured);

inline constexpr std::size_t kMaxRemedies = 3;

}  // namespace warptune::profiling::diagnosis
