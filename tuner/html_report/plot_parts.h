// Parts that the plots of a report share: sizes, titles, axes, and the rows that have a time.
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
inline constexpr double kPlotMargin = 1.05;  ///< The margin factor around the values on a logarithmic axis.

/// The title of a plot: kernel, problem and GPU.
std::string title_of(const ReportWorkload& workload);

/// The rows that have a time. Throws `base::WorkError` when no row has one.
std::vector<const model::Measurement*> timed(const ReportWorkload& workload);
std::vector<double> times_of(const std::vector<const model::Measurement*>& rows);

/// A logarithmic axis around `values`, which must be positive and not empty. Ticks are in units of `scale`.
text_output::SvgAxis log_axis(std::string title, const std::vector<double>& values, double scale = 1.0);
text_output::SvgAxis linear_axis(std::string title, double low, double high);
/// A logarithmic axis of times in ns. The unit of the ticks suits the minimum.
text_output::SvgAxis time_axis(const std::vector<double>& times);

/// The position (x, y) of a row in a plot, or `std::nullopt` if the plot leaves it out.
using PlotPosition = std::function<std::optional<std::pair<double, double>>(const model::Measurement&)>;
/// Adds a point for each row with a position, marks the default and the best, and adds legend entries.
void add_rows(text_output::SvgChart& chart, text_output::SvgPanel& panel, const ReportWorkload& workload,
              const PlotPosition& place);

}  // namespace warptune::tuner::html_report
