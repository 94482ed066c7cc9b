// The sessions of a report's workload as JSON: how each went, and which of them measured a row.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// Adds to a workload's form its sessions, and to its rows the newest session that measured each with its
/// place there.
void add_sessions(nlohmann::ordered_json& form, const ReportWorkload& workload,
                  const std::vector<const model::Measurement*>& rows);

}  // namespace warptune::tuner::html_report
