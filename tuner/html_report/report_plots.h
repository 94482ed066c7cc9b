#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// One of a report's plots. Adding one is a function here and a row of the table.
struct ReportPlot {
  std::string_view name;
  /// The picture of one workload. Throws `base::WorkError` where its data is missing, saying what to do.
  std::string (*draw)(const ReportWorkload& workload);
};
const std::vector<ReportPlot>& report_plots();

/// The plot of that name, or of the counter of that name against the time, as an SVG picture. Throws
/// `base::InputError` where it is neither, and as `ReportPlot::draw` does.
std::string report_plot(const ReportWorkload& workload, const std::string& name);

}  // namespace warptune::tuner::html_report
