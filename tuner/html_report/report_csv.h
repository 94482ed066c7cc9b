#pragma once

#include <string>
#include <vector>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// The rows of all workloads as a CSV file (RFC 4180): what they are of, parameters, status, reason, time
/// with interval, resources, counters. A workload without a parameter or counter leaves its cell empty.
std::string report_csv(const std::vector<ReportWorkload>& workloads);

}  // namespace warptune::tuner::html_report
