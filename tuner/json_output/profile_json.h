#pragma once

#include <nlohmann/json.hpp>

#include "tuner/explaining/profile_session.h"

namespace warptune::tuner::json_output {

/// The output of `warptune profile --format json`.
nlohmann::ordered_json profile_json(const explaining::Profile& profile);

}  // namespace warptune::tuner::json_output
