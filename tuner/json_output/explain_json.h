#pragma once

#include <string>

#include "tuner/text_output/explain_report.h"

namespace warptune::tuner::json_output {

/// The output of `warptune explain --format json`: the text of a JSON object.
std::string explanation_json(const text_output::ExplainedWorkload& workload,
                             const explaining::Explanation& explanation);

}  // namespace warptune::tuner::json_output
