#pragma once

#include <nlohmann/json.hpp>

#include "search/recording.h"

namespace warptune::tuner {

/// What a report says of a recording's parameters: `effects` (the paired effect on the time of each step from
/// a value to the next in its list), `importance` over the space and `importance_near_best`. What cannot be
/// had of these rows is left out.
nlohmann::ordered_json parameter_analysis(const search::Recording& recording);

}  // namespace warptune::tuner
