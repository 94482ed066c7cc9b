#pragma once

#include <nlohmann/json.hpp>

#include "model/recording.h"
#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// The analysis of a recording's parameters for a report, as a JSON object. `effects` has the paired effect
/// on the time of each step from a value to the next in its list. `importance` is over the whole space,
/// `importance_near_best` only near the best. Both are null when the rows are
/// too few for them.
nlohmann::ordered_json parameter_analysis(const model::Recording& recording);

/// The diagnoses of the best and of the default, if they have a time and counters. Each element of the list
/// is the object of `json_output::diagnosis_json` with the member `of`, which names the configuration.
nlohmann::ordered_json diagnoses_of(const ReportWorkload& workload);

}  // namespace warptune::tuner::html_report
