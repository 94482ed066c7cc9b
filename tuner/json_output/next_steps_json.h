#pragma once

#include <nlohmann/json.hpp>

#include "search/analysis/next_steps.h"

namespace warptune::tuner::json_output {

/// The effect of a change on the time, over pairs of rows.
nlohmann::ordered_json effect_json(const search::analysis::PairedEffect& effect);

/// The suggestions of `warptune explain` for changing the space.
nlohmann::ordered_json next_steps_json(const search::analysis::NextSteps& next_steps);

}  // namespace warptune::tuner::json_output
