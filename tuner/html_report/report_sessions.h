// The sessions of a workload as JSON: the best time so far in each of them, and which session measured each
// row.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// Adds the sessions of a workload to `workload_json`. Adds to each row the newest session that measured it,
/// and the number and the elapsed time of the evaluation in that session.
void add_sessions(nlohmann::ordered_json& workload_json, const ReportWorkload& workload,
                  const std::vector<const model::Measurement*>& rows);

}  // namespace warptune::tuner::html_report
