#include "tuner/replay/regret_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "search/scoring/run_figures.h"
#include "tuner/text_output/svg_chart.h"

namespace warptune::tuner::replay {

namespace {

constexpr int kSteps = 120;          // Points of a line.
constexpr double kMinExcess = 1e-3;  // Limits of the axis: 0.1 % and 1000 % above the recorded best.
constexpr double kMaxExcess = 10.0;

// Whole numbers up to `last` that are about equally spaced on a logarithmic axis.
std::vector<std::uint64_t> positions_to(std::uint64_t last) {
  std::vector<std::uint64_t> positions;
  for (int i = 0; i <= kSteps; ++i) {
    const double position = std::pow(static_cast<double>(last), static_cast<double>(i) / kSteps);
    const auto whole = static_cast<std::uint64_t>(std::llround(position));
    if (positions.empty() || whole > positions.back()) positions.push_back(whole);
  }
  return positions;
}

text_output::SvgPanel empty_panel(const std::string& title, std::uint64_t last) {
  const double maximum = static_cast<double>(std::max<std::uint64_t>(last, 2));
  text_output::SvgAxis excess{"", true, kMinExcess, kMaxExcess, {}};
  for (double at = kMinExcess; at <= kMaxExcess * 1.01; at *= 10.0)
    excess.ticks.emplace_back(at, fmt::format("{:g} %", 100.0 * at));
  return {title, {"", true, 1.0, maximum, text_output::logarithmic_ticks(1.0, maximum)}, excess, {}};
}

void add_line(text_output::SvgPanel& panel, std::size_t strategy, const std::vector<std::uint64_t>& positions,
              const std::vector<double>& log_slow_downs) {
  text_output::SvgSeries line{strategy, text_output::SvgShape::kLine, {}};
  line.points.reserve(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i)
    line.points.emplace_back(static_cast<double>(positions[i]), std::exp(log_slow_downs[i]) - 1.0);
  panel.series.push_back(std::move(line));
}

std::uint64_t longest_run(const std::vector<StrategyRuns>& runs) {
  std::size_t longest = 1;
  for (const StrategyRuns& strategy : runs) {
    for (const auto& recording : strategy.by_recording) {
      for (const search::scoring::Trace& trace : recording) longest = std::max(longest, trace.points.size());
    }
  }
  return longest;
}

}  // namespace

std::string regret_plot(const std::vector<StrategyRuns>& runs, const std::vector<ReplayWorkload>& workloads) {
  const std::uint64_t last = longest_run(runs);
  const std::vector<std::uint64_t> positions = positions_to(last);
  text_output::SvgChart chart;
  chart.note = "how far the best found is above the recorded best, after each number of evaluations";
  chart.panels.push_back(empty_panel("All " + base::counted(workloads.size(), "recording"), last));
  for (const ReplayWorkload& workload : workloads) chart.panels.push_back(empty_panel(workload.name(), last));
  for (std::size_t s = 0; s < runs.size(); ++s) {
    chart.legend.push_back(runs[s].strategy);
    std::vector<double> together(positions.size(), 0.0);
    bool everywhere = true;
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      const std::vector<search::scoring::Trace>& traces = runs[s].by_recording[i];
      everywhere = everywhere && !traces.empty();
      if (traces.empty()) continue;
      std::vector<double> logs;
      logs.reserve(positions.size());
      for (std::size_t p = 0; p < positions.size(); ++p) {
        logs.push_back(search::scoring::mean_of(
            search::scoring::log_slow_downs(workloads[i].space(), traces, positions[p])));
        together[p] += logs.back() / static_cast<double>(workloads.size());
      }
      add_line(chart.panels[i + 1], s, positions, logs);
    }
    if (everywhere) add_line(chart.panels[0], s, positions, together);
  }
  return text_output::svg_text(chart);
}

}  // namespace warptune::tuner::replay
