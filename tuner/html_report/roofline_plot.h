// The roofline plot of a report.
#pragma once

#include <string>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// Draws the performance of each row over its arithmetic intensity, with the roofs of memory and arithmetic.
/// If the kernel's operations are unknown, the horizontal axis is the memory traffic as a multiple of the
/// minimum traffic, and the vertical axis is the useful bandwidth. In that plot, the memory roof falls as the
/// traffic grows. Throws what `ReportPlot::draw` throws.
std::string roofline_plot(const ReportWorkload& workload);

}  // namespace warptune::tuner::html_report
