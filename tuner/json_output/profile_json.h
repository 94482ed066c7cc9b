#pragma once

#include <string>

#include "tuner/explaining/profile_session.h"

namespace warptune::tuner::json_output {

/// The output of `warptune profile --format json`: the text of a JSON object.
std::string profile_json(const explaining::Profile& profile);

}  // namespace warptune::tuner::json_output
