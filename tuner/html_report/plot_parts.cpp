// Parts that the plots of a report share: sizes, titles, axes, and the rows that have a time.
#include "tuner/html_report/plot_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "search/analysis/timed_rows.h"

namespace warptune::tuner::html_report {

using model::Measurement;

namespace {

// A unit of time and its length in nanoseconds.
struct AxisUnit {
  const char* name;
  double ns;
};

// Returns the largest unit that is not longer than the time.
AxisUnit axis_unit(double time_ns) {
  AxisUnit found{"ns", 1.0};
  for (const AxisUnit& unit : {AxisUnit{"us", 1e3}, AxisUnit{"ms", 1e6}, AxisUnit{"s", 1e9}}) {
    if (time_ns >= unit.ns) found = unit;
  }
  return found;
}

const Measurement* row_for(const ReportWorkload& workload, const model::NamedValues& configuration) {
  const std::optional<std::size_t> row =
      configuration.empty() ? std::nullopt : row_of(workload.recording, configuration);
  return row ? &workload.recording.measurements[*row] : nullptr;
}

}  // namespace

std::string title_of(const ReportWorkload& workload) {
  const model::Workload& about = workload.recording.workload;
  const std::string problem = model::to_text(about.problem);
  return fmt::format("{}{}{}, {}", about.kernel, problem.empty() ? "" : " ", problem, about.gpu.name);
}

std::vector<const Measurement*> timed(const ReportWorkload& workload) {
  std::vector<const Measurement*> rows;
  for (const Measurement& row : workload.recording.measurements) {
    if (search::analysis::has_time(row)) rows.push_back(&row);
  }
  if (rows.empty()) {
    throw base::WorkError(
        fmt::format("{}: no configuration has a time, so there is nothing to plot; warptune report says "
                    "why each failed",
                    title_of(workload)));
  }
  return rows;
}

text_output::SvgAxis log_axis(std::string title, const std::vector<double>& values, double scale) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  text_output::SvgAxis axis{std::move(title), true, *low / kPlotMargin, *high * kPlotMargin, {}};
  axis.ticks = text_output::logarithmic_ticks(axis.low, axis.high, scale);
  return axis;
}

text_output::SvgAxis linear_axis(std::string title, double low, double high) {
  text_output::SvgAxis axis{std::move(title), false, low, high > low ? high : low + 1.0, {}};
  axis.ticks = text_output::linear_ticks(axis.low, axis.high);
  return axis;
}

std::vector<double> times_of(const std::vector<const Measurement*>& rows) {
  std::vector<double> times;
  times.reserve(rows.size());
  for (const Measurement* row : rows) times.push_back(row->time->median_ns);
  return times;
}

text_output::SvgAxis time_axis(const std::vector<double>& times) {
  const AxisUnit unit = axis_unit(*std::min_element(times.begin(), times.end()));
  return log_axis(fmt::format("time, {}", unit.name), times, unit.ns);
}

void add_rows(text_output::SvgChart& chart, text_output::SvgPanel& panel, const ReportWorkload& workload,
              const PlotPosition& place) {
  const auto add = [&](const char* name, text_output::SvgShape shape,
                       const std::vector<const Measurement*>& rows) {
    text_output::SvgSeries series{chart.legend.size(), shape, {}};
    for (const Measurement* row : rows) {
      if (const std::optional<std::pair<double, double>> at = place(*row)) series.points.push_back(*at);
    }
    chart.legend.emplace_back(name);
    panel.series.push_back(std::move(series));
  };
  add("configurations", text_output::SvgShape::kPoints, timed(workload));
  if (const Measurement* best = row_for(workload, workload.best_configuration))
    add("best", text_output::SvgShape::kMarker, {best});
  const Measurement* default_row = row_for(workload, workload.recording.default_configuration);
  if (default_row != nullptr && search::analysis::has_time(*default_row))
    add("default", text_output::SvgShape::kMarker, {default_row});
}

}  // namespace warptune::tuner::html_report
