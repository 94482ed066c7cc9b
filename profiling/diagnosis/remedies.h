#pragma once

#include <vector>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Whether values without a measured row are tried. Each of them costs a compile.
enum class UnmeasuredValues { kTry, kSkip };

/// Returns changes of one parameter that move a rule's target in the right direction and shorten the time.
/// The fastest come first, at most `kMaxRemedies`. They come from measured rows that differ from this
/// configuration only in that parameter. If there are none, the target is the occupancy and `unmeasured`
/// allows it, they come from the resources of the changed code, which is compiled but not measured.
std::vector<ParameterRemedy> parameter_remedies(const Facts& facts, const Target& target,
                                                UnmeasuredValues unmeasured);

inline constexpr std::size_t kMaxRemedies = 3;

}  // namespace warptune::profiling::diagnosis
