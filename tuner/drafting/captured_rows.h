// Buffers of a captured launch whose rows have padding between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiling/captures/captured_launch.h"
#include "tuner/drafting/captured_buffers.h"
#include "tuner/drafting/matched_parameters.h"
#include "tuner/drafting/problem_sizes.h"

namespace warptune::tuner::drafting {

/// Sets the rows of buffers, if integers of the launch say that they have padding: one is the pitch of the
/// buffer, in elements or bytes, and another the width. The pitch is known by its name (`pitch`,
/// `src_stride`, `ldc`). If only the changes of the launch look like padded rows, it sets `asks_for_rows`.
void find_padded_rows(const std::vector<MatchedParameter>& parameters,
                      const profiling::captures::CapturedLaunch& launch, std::vector<DraftedBuffer>& buffers);

/// The elements of a buffer with rows, without padding. `contents` has them with padding.
std::string without_padding(const DraftedBuffer& buffer, std::string_view contents);

/// The keys `count`, `width` and `pitch` of a buffer with rows, as lines.
std::string rows_text(const DraftedBuffer& buffer, ProblemSizes& sizes);

}  // namespace warptune::tuner::drafting
