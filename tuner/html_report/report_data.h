#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// The data of a report as JSON. `warptune report --format json` prints it, and the page reads it.
/// docs/report.md describes each member. Rows are stored as columns of equal length, the fastest row first.
/// Times have six significant digits, counters five. Bytes that are not valid UTF-8 become U+FFFD.
/// `written_ms` is the Unix time of the report in milliseconds.
std::string report_json(const std::vector<ReportWorkload>& workloads, std::int64_t written_ms);

}  // namespace warptune::tuner::html_report
