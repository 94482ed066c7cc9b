#include "tuner/html_report/report_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "search/analysis/timed_rows.h"
#include "tuner/text_output/svg_chart.h"

namespace warptune::tuner::html_report {

namespace {

using model::Measurement;
using model::Status;
using search::analysis::has_time;

constexpr double kWide = 760;
constexpr double kHigh = 440;
constexpr double kRoom = 1.05;  // Around the values on a logarithmic axis.
constexpr double kNs = 1e-9;
constexpr const char* kDramBytes = "dram__bytes.sum";

// Unit and nanoseconds of what suits a time.
struct AxisUnit {
  const char* name;
  double ns;
};

AxisUnit axis_unit(double time_ns) {
  AxisUnit found{"ns", 1.0};
  for (const AxisUnit& unit : {AxisUnit{"us", 1e3}, AxisUnit{"ms", 1e6}, AxisUnit{"s", 1e9}}) {
    if (time_ns >= unit.ns) found = unit;
  }
  return found;
}

std::string title_of(const ReportSubject& subject) {
  const model::Subject& about = subject.recording.subject;
  const std::string problem = model::to_text(about.problem);
  return fmt::format("{}{}{}, {}", about.kernel, problem.empty() ? "" : " ", problem, about.gpu.name);
}

std::vector<const Measurement*> timed(const ReportSubject& subject) {
  std::vector<const Measurement*> rows;
  for (const Measurement& row : subject.recording.measurements) {
    if (search::analysis::has_time(row) && std::isfinite(row.time.median_ns)) rows.push_back(&row);
  }
  if (rows.empty()) {
    throw base::WorkError(
        fmt::format("{}: no configuration has a time, so there is nothing to plot; warptune report says "
                    "why each failed",
                    title_of(subject)));
  }
  return rows;
}

const Measurement* row_for(const ReportSubject& subject, const model::NamedValues& configuration) {
  const std::optional<std::size_t> row =
      configuration.empty() ? std::nullopt : row_of(subject.recording, configuration);
  return row ? &subject.recording.measurements[*row] : nullptr;
}

// A logarithmic axis around values, which are positive and not none.
text_output::SvgAxis log_axis(std::string title, const std::vector<double>& values, double scale = 1.0) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  text_output::SvgAxis axis{std::move(title), true, *low / kRoom, *high * kRoom, {}};
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
  for (const Measurement* row : rows) times.push_back(row->time.median_ns);
  return times;
}

text_output::SvgAxis time_axis(const std::vector<double>& times) {
  const AxisUnit unit = axis_unit(*std::min_element(times.begin(), times.end()));
  return log_axis(fmt::format("time, {}", unit.name), times, unit.ns);
}

std::string convergence(const ReportSubject& subject) {
  const std::vector<const Measurement*> rows = timed(subject);
  text_output::SvgChart chart{{}, 1, kWide, kHigh, "", {}};
  text_output::SvgPanel panel{title_of(subject) + ": best so far", {}, time_axis(times_of(rows)), {}};
  std::size_t most = 1;
  for (const ReportSession& session : subject.sessions) {
    const SessionOrder order = order_of(session);
    text_output::SvgSeries line{chart.legend.size(), text_output::SvgShape::kStep, {}};
    for (const BestSoFar& step : best_so_far(order))
      line.points.emplace_back(static_cast<double>(step.evaluation.number), step.time_ns);
    if (line.points.empty()) continue;
    line.points.emplace_back(static_cast<double>(order.evaluations.size()), line.points.back().second);
    most = std::max(most, order.evaluations.size());
    panel.series.push_back(std::move(line));
    chart.legend.push_back(session.id > 0 ? fmt::format("session {}, {}", session.id, session.strategy)
                                          : subject.origin);
  }
  panel.x = linear_axis("evaluations", 0.0, static_cast<double>(most));
  chart.panels.push_back(std::move(panel));
  return text_output::svg_text(chart);
}

std::string distribution(const ReportSubject& subject) {
  const std::vector<double> times = times_of(timed(subject));
  text_output::SvgPanel panel{title_of(subject) + ": distribution of times", time_axis(times), {}, {}};
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
  panel.y = linear_axis("configurations", 0.0, *std::max_element(counts.begin(), counts.end()) * kRoom);
  panel.series.push_back(std::move(bars));
  return text_output::svg_text({{std::move(panel)}, 1, kWide, kHigh, "", {}});
}

// Points of rows with a place, the default and the best marked; legend entries for them.
template <class Place>
void add_rows(text_output::SvgChart& chart, text_output::SvgPanel& panel, const ReportSubject& subject,
              Place place) {
  const auto add = [&](const char* name, text_output::SvgShape shape,
                       const std::vector<const Measurement*>& rows) {
    text_output::SvgSeries series{chart.legend.size(), shape, {}};
    for (const Measurement* row : rows) {
      if (const std::optional<std::pair<double, double>> at = place(*row)) series.points.push_back(*at);
    }
    chart.legend.emplace_back(name);
    panel.series.push_back(std::move(series));
  };
  add("configurations", text_output::SvgShape::kPoints, timed(subject));
  if (const Measurement* best = row_for(subject, subject.best_configuration))
    add("best", text_output::SvgShape::kMarker, {best});
  const Measurement* fallback = row_for(subject, subject.recording.default_configuration);
  if (fallback != nullptr && search::analysis::has_time(*fallback))
    add("default", text_output::SvgShape::kMarker, {fallback});
}

double dram_bytes(const Measurement& row, const model::Work& work) {
  const auto counted = row.counters.find(kDramBytes);
  return counted != row.counters.end() && counted->second > 0 ? counted->second : work.bytes;
}

// Without operations: useful bandwidth over the traffic that took it, under a roof that falls with the
// traffic.
std::string roofline(const ReportSubject& subject) {
  const model::Work& work = subject.recording.work;
  const model::Roofs& roofs = subject.recording.roofs;
  if (!(work.flops > 0) && !(work.bytes > 0)) {
    throw base::WorkError(fmt::format(
        "{}: neither operations nor bytes are known, so nothing can be placed under the roofs; [work] in the "
        "kernel definition gives them",
        title_of(subject)));
  }
  const bool arithmetic = work.flops > 0;
  const double memory = model::memory_roof(roofs);
  const double compute = arithmetic ? model::compute_roof(roofs, work.unit) : 0.0;
  const auto place = [&](const Measurement& row) -> std::optional<std::pair<double, double>> {
    const double bytes = dram_bytes(row, work);
    if (!(bytes > 0)) return std::nullopt;
    const double seconds = row.time.median_ns * kNs;
    if (arithmetic) return std::pair(work.flops / bytes, work.flops / seconds);
    return std::pair(bytes / work.bytes, work.bytes / seconds);
  };
  std::vector<double> xs = {arithmetic ? std::max(1e-3, model::ridge_flops_per_byte(roofs, work.unit)) : 1.0};
  std::vector<double> ys;
  if (arithmetic && !(xs[0] > 1e-3)) xs.clear();
  for (const Measurement* row : timed(subject)) {
    if (const auto at = place(*row)) {
      xs.push_back(at->first);
      ys.push_back(at->second);
    }
  }
  if (ys.empty()) throw base::WorkError(fmt::format("{}: no configuration has its bytes", title_of(subject)));
  if (arithmetic && compute > 0) ys.push_back(compute);
  if (!arithmetic && memory > 0) ys.push_back(memory);
  const auto [least, most] = std::minmax_element(xs.begin(), xs.end());
  const std::array ends = {*least / (arithmetic ? 2.0 : 1.1), *most * 1.2};
  xs.insert(xs.end(), ends.begin(), ends.end());
  text_output::SvgChart chart{{}, 1, kWide, kHigh, "", {}};
  text_output::SvgPanel panel{
      title_of(subject) + ": roofline",
      log_axis(arithmetic ? "flop per byte of device memory"
                          : "device-memory traffic over the least that must move",
               xs),
      log_axis(arithmetic ? "TFLOP/s" : "useful bandwidth, GB/s", ys, arithmetic ? 1e12 : 1e9),
      {}};
  add_rows(chart, panel, subject, place);
  text_output::SvgSeries roof{chart.legend.size(), text_output::SvgShape::kLine, {}};
  constexpr int kSteps = 200;
  for (int i = 0; i <= kSteps && (memory > 0 || compute > 0); ++i) {
    const double x = panel.x.low * std::pow(panel.x.high / panel.x.low, static_cast<double>(i) / kSteps);
    const double by_memory = arithmetic ? memory * x : memory / x;
    const double y = !(memory > 0) ? compute : compute > 0 ? std::min(by_memory, compute) : by_memory;
    if (y >= panel.y.low && y <= panel.y.high) roof.points.emplace_back(x, y);
  }
  if (!roof.points.empty()) {
    chart.legend.push_back(fmt::format("roofs: {:.3g} TB/s{}", memory * 1e-12,
                                       compute > 0 ? fmt::format(", {:.3g} TFLOP/s", compute * 1e-12) : ""));
    panel.series.push_back(std::move(roof));
  }
  chart.panels.push_back(std::move(panel));
  return text_output::svg_text(chart);
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = static_cast<double>(sorted.size() - 1) * share;
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

std::string effects(const ReportSubject& subject) {
  const std::vector<const Measurement*> rows = timed(subject);
  const text_output::SvgAxis time = time_axis(times_of(rows));
  text_output::SvgChart chart{{}, 3, 300, 220, "", {"middle half of the configurations", "best", "median"}};
  for (const model::Parameter& parameter : subject.recording.parameters) {
    text_output::SvgSeries halves{0, text_output::SvgShape::kSpans, {}},
        bests{1, text_output::SvgShape::kMarker, {}}, medians{2, text_output::SvgShape::kPoints, {}};
    text_output::SvgAxis values{"", false, -0.6, -0.4, {}};
    for (const model::Value& value : parameter.values) {
      std::vector<double> times;
      for (const Measurement* row : rows) {
        const model::Value* chosen = model::find(row->configuration, parameter.name);
        if (chosen != nullptr && *chosen == value) times.push_back(row->time.median_ns);
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
  if (chart.panels.empty()) throw base::WorkError(fmt::format("{}: no parameter varies", title_of(subject)));
  chart.note = title_of(subject) + ": times by value";
  return text_output::svg_text(chart);
}

std::string counter_plot(const ReportSubject& subject, const std::string& name) {
  const auto value = [&](const Measurement& row) -> std::optional<double> {
    const auto found = row.counters.find(name);
    return found == row.counters.end() ? std::nullopt : std::optional(found->second);
  };
  std::vector<double> values;
  std::vector<double> times;
  for (const Measurement* row : timed(subject)) {
    if (!value(*row)) continue;
    values.push_back(*value(*row));
    times.push_back(row->time.median_ns);
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  text_output::SvgChart chart{{}, 1, kWide, kHigh, "", {}};
  text_output::SvgPanel panel{
      fmt::format("{}: {} against the time", title_of(subject), name),
      *low > 0 && *high / *low > 30 ? log_axis(name, values) : linear_axis(name, *low, *high),
      time_axis(times),
      {}};
  add_rows(chart, panel, subject, [&](const Measurement& row) {
    const std::optional<double> x = value(row);
    return x ? std::optional(std::pair(*x, row.time.median_ns)) : std::nullopt;
  });
  chart.panels.push_back(std::move(panel));
  return text_output::svg_text(chart);
}

}  // namespace

const std::vector<ReportPlot>& report_plots() {
  static const std::vector<ReportPlot> kPlots = {{"convergence", convergence},
                                                 {"distribution", distribution},
                                                 {"roofline", roofline},
                                                 {"effects", effects}};
  return kPlots;
}

std::string report_plot(const ReportSubject& subject, const std::string& name) {
  std::vector<std::string> known;
  for (const ReportPlot& plot : report_plots()) {
    if (plot.name == name) return plot.draw(subject);
    known.emplace_back(plot.name);
  }
  std::set<std::string> counters;
  for (const Measurement& row : subject.recording.measurements) {
    if (!search::analysis::has_time(row)) continue;
    for (const auto& [counter, value] : row.counters) counters.insert(counter);
  }
  if (counters.count(name) != 0) return counter_plot(subject, name);
  std::vector<std::string> all = known;
  all.insert(all.end(), counters.begin(), counters.end());
  throw base::InputError(fmt::format("--plot {}: expected {} or one of {} counters{}", name,
                                     fmt::join(known, ", "), counters.size(), base::did_you_mean(name, all)));
}

}  // namespace warptune::tuner::html_report
