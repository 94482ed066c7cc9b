#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// What a report shows as JSON, as `warptune report --format json` prints it and the page reads it:
/// docs/report.md describes each member. Rows are columns of equal length, the fastest first; times have six
/// significant digits, counters five; bytes that are no UTF-8 become U+FFFD. `written_ms` is the Unix time
/// that it carries as its own.
std::string report_json(const std::vector<ReportWorkload>& workloads, std::int64_t written_ms);

}  // namespace warptune::tuner::html_report
