#pragma once

#include <cstddef>
#include <string>

#include "tuner/explaining/profile_session.h"

namespace warptune::tuner::text_output {

/// The sections, one line a row with the metric's name beside it, then the diagnosis; with `raw` every
/// counter by its name, too. Where the names do not fit `width` columns they are left out, and longer lines
/// are broken (0: any length).
std::string profile_text(const explaining::Profile& profile, bool raw, std::size_t width);

}  // namespace warptune::tuner::text_output
