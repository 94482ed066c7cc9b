// What the plots of a report share: sizes, titles, axes, and the rows that have a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/html_report/report_workload.h"
#include "tuner/text_output/svg_chart.h"

namespace warptune::tuner::html_report {

inline constexpr double kPlotWidth = 760;
inline constexpr double kPlotHeight = 440;
inline constexpr double kPlotRoom = 1.05;  ///< Around the values on a logarithmic axis.

/// Kernel, problem and GPU.
std::string title_of(const ReportWorkload& workload);

/// The rows that have a time. Throws `base::WorkError` where there is none.
std::vector<const model::Measurement*> timed(const ReportWorkload& workload);
std::vector<double> times_of(const std::vector<const model::Measurement*>& rows);

/// A logarithmic axis around values, which are positive and not none; ticks are in units of `scale`.
text_output::SvgAxis log_axis(std::string title, const std::vector<double>& values, double scale = 1.0);
text_output::SvgAxis linear_axis(std::string title, double low, double high);
/// A logarithmic axis of times, ns, in the unit that suits the least.
text_output::SvgAxis time_axis(const std::vector<double>& times);

/// Where a row stands in a plot, or nothing.
using PlotPlace = std::function<std::optional<std::pair<double, double>>(const model::Measurement&)>;
/// Adds points of the rows with a place, the default and the best marked, and legend entries for them.
void add_rows(text_output::SvgChart& chart, text_output::SvgPanel& panel, const ReportWorkload& workload,
              const PlotPlace& place);

}  // namespace warptune::tuner::html_report
