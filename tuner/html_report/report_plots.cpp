// The list of the plots of a report, and four plots of times: best so far, distribution, times by value, and
// counter against time.
#include "tuner/html_report/report_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "search/analysis/timed_rows.h"
#include "tuner/html_report/plot_parts.h"
#include "tuner/html_report/roofline_plot.h"
#include "tuner/text_output/svg_chart.h"

namespace warptune::tuner::html_report {

namespace {

using model::Measurement;

std::string convergence(const ReportWorkload& workload) {
  const std::vector<const Measurement*> rows = timed(workload);
  text_output::SvgChart chart{{}, 1, kPlotWidth, kPlotHeight, "", {}};
  text_output::SvgPanel panel{title_of(workload) + ": best so far", {}, time_axis(times_of(rows)), {}};
  std::size_t maximum = 1;
  for (const ReportSession& session : workload.sessions) {
    const SessionOrder order = order_of(session);
    text_output::SvgSeries line{chart.legend.size(), text_output::SvgShape::kStep, {}};
    for (const BestSoFar& step : best_so_far(order))
      line.points.emplace_back(static_cast<double>(step.evaluation.number), step.time_ns);
    if (line.points.empty()) continue;
    line.points.emplace_back(static_cast<double>(order.evaluations.size()), line.points.back().second);
    maximum = std::max(maximum, order.evaluations.size());
    panel.series.push_back(std::move(line));
    chart.legend.push_back(session.id > 0 ? fmt::format("session {}, {}", session.id, session.strategy)
                                          : workload.origin);
  }
  panel.x = linear_axis("evaluations", 0.0, static_cast<double>(maximum));
  chart.panels.push_back(std::move(panel));
  return text_output::svg_text(chart);
}

std::string distribution(const ReportWorkload& workload) {
  const std::vector<double> times = times_of(timed(workload));
  text_output::SvgPanel panel{title_of(workload) + ": distribution of times", time_axis(times), {}, {}};
  const auto count = static_cast<std::size_t>(
      std::clamp(std::ceil(2.0 * std::sqrt(static_cast<double>(times.size()))), 8.0, 60.0));
  const double width = std::log(panel.x.high / panel.x.low) / static_cast<double>(count);
  std::vector<double> counts(count, 0.0);
  for (const double time : times) {
    const auto bin = static_cast<std::size_t>(std::log(time / panel.x.low) / width);
    ++counts[std::min(bin, count - 1)];
  }
  text_output::SvgSeries bars{0, text_output::SvgShape::kBars, {}};
  for (std::size_t bin = 0; bin < count; ++bin) {
    bars.points.emplace_back(panel.x.low * std::exp((static_cast<double>(bin) + 0.5) * width), counts[bin]);
  }
  panel.y = linear_axis("configurations", 0.0, *std::max_element(counts.begin(), counts.end()) * kPlotMargin);
  panel.series.push_back(std::move(bars));
  return text_output::svg_text({{std::move(panel)}, 1, kPlotWidth, kPlotHeight, "", {}});
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = static_cast<double>(sorted.size() - 1) * share;
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

std::string effects(const ReportWorkload& workload) {
  const std::vector<const Measurement*> rows = timed(workload);
  const text_output::SvgAxis time = time_axis(times_of(rows));
  text_output::SvgChart chart{{}, 3, 300, 220, "", {"middle half of the configurations", "best", "median"}};
  for (const model::Parameter& parameter : workload.recording.parameters) {
    text_output::SvgSeries halves{0, text_output::SvgShape::kSpans, {}},
        bests{1, text_output::SvgShape::kMarker, {}}, medians{2, text_output::SvgShape::kPoints, {}};
    text_output::SvgAxis values{"", false, -0.6, -0.4, {}};
    for (const model::Value& value : parameter.values) {
      std::vector<double> times;
      for (const Measurement* row : rows) {
        const model::Value* chosen = model::find(row->configuration, parameter.name);
        if (chosen != nullptr && *chosen == value) times.push_back(row->time->median_ns);
      }
      if (times.empty()) continue;
      std::sort(times.begin(), times.end());
      const auto at = static_cast<double>(values.ticks.size());
      values.ticks.emplace_back(at, model::to_text(value));
      values.high = at + 0.6;
      halves.points.emplace_back(at, quantile(times, 0.25));
      halves.points.emplace_back(at, quantile(times, 0.75));
      medians.points.emplace_back(at, quantile(times, 0.5));
      bests.points.emplace_back(at, times.front());
    }
    if (values.ticks.size() < 2) continue;
    chart.panels.push_back(
        {parameter.name, std::move(values), time, {std::move(halves), std::move(medians), std::move(bests)}});
  }
  if (chart.panels.empty()) throw base::WorkError(fmt::format("{}: no parameter varies", title_of(workload)));
  chart.note = title_of(workload) + ": times by value";
  return text_output::svg_text(chart);
}

std::string counter_plot(const ReportWorkload& workload, const std::string& name) {
  const auto value = [&](const Measurement& row) -> std::optional<double> {
    const auto found = row.counters.find(name);
    return found == row.counters.end() ? std::nullopt : std::optional(found->second);
  };
  std::vector<double> values;
  std::vector<double> times;
  for (const Measurement* row : timed(workload)) {
    if (!value(*row)) continue;
    values.push_back(*value(*row));
    times.push_back(row->time->median_ns);
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  text_output::SvgChart chart{{}, 1, kPlotWidth, kPlotHeight, "", {}};
  text_output::SvgPanel panel{
      fmt::format("{}: {} against the time", title_of(workload), name),
      *low > 0 && *high / *low > 30 ? log_axis(name, values) : linear_axis(name, *low, *high),
      time_axis(times),
      {}};
  add_rows(chart, panel, workload, [&](const Measurement& row) {
    const std::optional<double> x = value(row);
    return x && row.time ? std::optional(std::pair(*x, row.time->median_ns)) : std::nullopt;
  });
  chart.panels.push_back(std::move(panel));
  return text_output::svg_text(chart);
}

}  // namespace

const std::vector<ReportPlot>& report_plots() {
  static const std::vector<ReportPlot> kPlots = {{"convergence", convergence},
                                                 {"distribution", distribution},
                                                 {"roofline", roofline_plot},
                                                 {"effects", effects}};
  return kPlots;
}

std::string report_plot(const ReportWorkload& workload, const std::string& name) {
  std::vector<std::string> known;
  for (const ReportPlot& plot : report_plots()) {
    if (plot.name == name) return plot.draw(workload);
    known.emplace_back(plot.name);
  }
  std::set<std::string> counters;
  for (const Measurement& row : workload.recording.measurements) {
    if (!search::analysis::has_time(row)) continue;
    for (const auto& [counter, value] : row.counters) counters.insert(counter);
  }
  if (counters.count(name) != 0) return counter_plot(workload, name);
  std::vector<std::string> all = known;
  all.insert(all.end(), counters.begin(), counters.end());
  throw base::InputError(fmt::format("--plot {}: expected {} or one of {} counters{}", name,
                                     fmt::join(known, ", "), counters.size(), base::did_you_mean(name, all)));
}

}  // namespace warptune::tuner::html_report
