#pragma once

#include <nlohmann/json.hpp>

#include "tuner/text_output/explain_report.h"

namespace warptune::tuner::json_output {

/// The output of `warptune explain --format json`.
nlohmann::ordered_json explanation_json(const text_output::ExplainedWorkload& workload,
                                        const explaining::Explanation& explanation);

/// The path from one end to the other: its steps with their effects.
nlohmann::ordered_json path_json(const explaining::Explanation& explanation);

}  // namespace warptune::tuner::json_output
