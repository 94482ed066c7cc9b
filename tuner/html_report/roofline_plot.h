// The roofline plot of a report.
#pragma once

#include <string>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// Draws the performance of each row over its arithmetic intensity, with the roofs of memory and arithmetic.
/// If the kernel's operations are unknown, it draws useful bandwidth over traffic, as a multiple of the
/// minimum traffic. There the memory roof falls with the traffic. Throws what `ReportPlot::draw` throws.
std::string roofline_plot(const ReportWorkload& workload);

}  // namespace warptune::tuner::html_report
