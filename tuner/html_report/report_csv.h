#pragma once

#include <string>
#include <vector>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// The rows of all workloads as a CSV file (RFC 4180). The columns are the workload, parameters, status,
/// reason, time with interval, resources and counters. A cell is empty if the workload does not have the
/// parameter or counter.
std::string report_csv(const std::vector<ReportWorkload>& workloads);

}  // namespace warptune::tuner::html_report
