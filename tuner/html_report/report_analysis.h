#pragma once

#include <nlohmann/json.hpp>

#include "tuner/explaining/explanation.h"
#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// What `warptune explain` says about the workload's rows. Nothing is measured or compiled for it.
explaining::Explanation explanation_of(const ReportWorkload& workload);

/// The analysis of a workload's parameters for a report, as a JSON object. `effects` has an element for each
/// step from a parameter's value to the next one in its list. It is the ratio of the times of configurations
/// that differ only in that step. `importance` is each parameter's share of the variance of the logarithm of
/// the time, over the whole space. `importance_near_best` is over the part near the best. Both are null when
/// there are too few rows. `path` is the path from the default to the best, and `next_steps` and `notes` are
/// the lines of text below it.
nlohmann::ordered_json parameter_analysis(const ReportWorkload& workload,
                                          const explaining::Explanation& explanation);

/// The diagnoses of the best and of the default, if they have a time and counters. Each element of the list
/// is the object of `json_output::diagnosis_json` with the member `of`, which names the configuration.
nlohmann::ordered_json diagnoses_of(const explaining::Explanation& explanation);

}  // namespace warptune::tuner::html_report
