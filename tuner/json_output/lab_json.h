#pragma once

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tuner/lab/lab_judgement.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::json_output {

/// The output of `warptune lab NAME --format json`, with all counters of every row. `errors` are those of
/// experiments that could not be shown.
nlohmann::ordered_json lab_json(
    const std::vector<std::pair<const lab::LabResult*, const lab::LabJudgement*>>& experiments,
    const nlohmann::ordered_json& errors);

}  // namespace warptune::tuner::json_output
