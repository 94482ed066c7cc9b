// The plot of a report that places rows under the roofs of their GPU.
#pragma once

#include <string>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// The rate of each row over the bytes that it moves, under the roofs of memory and arithmetic. Without
/// operations: useful bandwidth over the traffic that took it, under a roof that falls with the traffic.
/// Throws as `ReportPlot::draw`.
std::string roofline_plot(const ReportWorkload& workload);

}  // namespace warptune::tuner::html_report
