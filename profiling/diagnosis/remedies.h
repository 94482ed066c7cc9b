#pragma once

#include <vector>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Whether values without a measured row are tried. Each of them costs a compile.
enum class UnmeasuredValues { kTry, kSkip };

/// Returns changes of one parameter that move a rule's target in the right direction and shorten the time.
/// The fastest come first, at most `kMaxRemedies`. They come from measured rows that differ from this
/// configuration only in that parameter. If there are no such rows, a target that needs only resources can be
/// computed for code that is compiled and not measured. This is done if `unmeasured` allows it.
std::vector<ParameterRemedy> parameter_remedies(const Facts& facts, const Target& target,
                                                UnmeasuredValues unmeasured);

inline constexpr std::size_t kMaxRemedies = 3;

}  // namespace warptune::profiling::diagnosis
