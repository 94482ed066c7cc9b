#pragma once

#include <nlohmann/json.hpp>

#include "model/recording.h"
#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// What a report says of a recording's parameters: `effects` (the paired effect on the time of each step from
/// a value to the next in its list), `importance` over the space and `importance_near_best`. What cannot be
/// had of these rows is left out.
nlohmann::ordered_json parameter_analysis(const model::Recording& recording);

/// The diagnosis of the best and of the default, where they have a time and counters: a list of what
/// `diagnosis_json` gives with `of` beside.
nlohmann::ordered_json diagnoses_of(const ReportWorkload& workload);

}  // namespace warptune::tuner::html_report
