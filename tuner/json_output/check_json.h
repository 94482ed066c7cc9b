#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tuner/checking/definition_check.h"

namespace warptune::tuner::json_output {

/// The output of `warptune check --format json`.
nlohmann::ordered_json check_json(const checking::CheckReport& report);

}  // namespace warptune::tuner::json_output
