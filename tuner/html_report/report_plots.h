#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// One of the plots of a report. A new plot needs a function and a row in the table of report_plots.cpp.
struct ReportPlot {
  std::string_view name;
  /// Draws one workload as SVG. Throws `base::WorkError` when data is missing; the error says what to do.
  std::string (*draw)(const ReportWorkload& workload);
};
const std::vector<ReportPlot>& report_plots();

/// The plot with the given name as SVG. The name of a counter gives a plot of the counter against the time.
/// Throws `base::InputError` for another name, and what `ReportPlot::draw` throws.
std::string report_plot(const ReportWorkload& workload, const std::string& name);

}  // namespace warptune::tuner::html_report
