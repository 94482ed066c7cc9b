#pragma once

#include <cstddef>
#include <string>

#include "tuner/explaining/profile_session.h"

namespace warptune::tuner::text_output {

/// The text of a profile: its sections with one line for each metric, then the diagnosis. With `raw` it also
/// lists every counter by its name. `width` is the number of columns of the terminal; 0 means no limit. Lines
/// end with the name of the metric if all names fit, and longer lines are wrapped.
std::string profile_text(const explaining::Profile& profile, bool raw, std::size_t width);

}  // namespace warptune::tuner::text_output
