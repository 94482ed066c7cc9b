// The roofline plot of a report.
//
// The model is from Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model for
// Multicore Architectures", CACM 52(4), 2009. Performance is at most the compute roof. It is also at most the
// memory roof times the arithmetic intensity, which is operations over bytes of device memory.
#include "tuner/html_report/roofline_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tuner/html_report/plot_parts.h"

namespace warptune::tuner::html_report {

using model::Measurement;

namespace {

constexpr double kNs = 1e-9;
constexpr const char* kDramBytes = "dram__bytes.sum";

double dram_bytes(const Measurement& row, const model::Work& work) {
  const auto counted = row.counters.find(kDramBytes);
  return counted != row.counters.end() && counted->second > 0 ? counted->second : work.bytes;
}

// The roofs that the plot draws. If the operations are unknown, it shows useful bandwidth instead of FLOP/s.
struct PlottedRoofs {
  bool arithmetic = false;
  std::optional<double> memory;   // B/s.
  std::optional<double> compute;  // FLOP/s.

  PlottedRoofs(const model::Work& work, const model::Roofs& roofs)
      : arithmetic(work.flops > 0),
        memory(model::memory_roof(roofs)),
        compute(arithmetic ? model::compute_roof(roofs, work.unit) : std::nullopt) {}
};

// A row's (x, y) in the plot: operations per byte and FLOP/s. If the operations are unknown: the traffic as a
// multiple of the minimum traffic, and useful B/s.
std::optional<std::pair<double, double>> place_of(const Measurement& row, const model::Work& work) {
  const double bytes = dram_bytes(row, work);
  if (!(bytes > 0) || !row.time) return std::nullopt;
  const double seconds = row.time->median_ns * kNs;
  if (work.flops > 0) return std::pair(work.flops / bytes, work.flops / seconds);
  return std::pair(bytes / work.bytes, work.bytes / seconds);
}

// The coordinates that the axes have to show.
struct Extent {
  std::vector<double> xs;
  std::vector<double> ys;
};

Extent extent_of(const ReportWorkload& workload, const PlottedRoofs& plotted) {
  const model::Work& work = workload.recording.work;
  Extent extent;
  if (!plotted.arithmetic) {
    extent.xs.push_back(1.0);
  } else if (const auto ridge = model::ridge_flops_per_byte(workload.recording.roofs, work.unit);
             ridge && *ridge > 1e-3) {
    extent.xs.push_back(*ridge);
  }
  for (const Measurement* row : timed(workload)) {
    if (const auto at = place_of(*row, work)) {
      extent.xs.push_back(at->first);
      extent.ys.push_back(at->second);
    }
  }
  if (extent.ys.empty())
    throw base::WorkError(fmt::format("{}: the bytes of all configurations are unknown", title_of(workload)));
  if (plotted.arithmetic && plotted.compute) extent.ys.push_back(*plotted.compute);
  if (!plotted.arithmetic && plotted.memory) extent.ys.push_back(*plotted.memory);
  const auto [minimum, maximum] = std::minmax_element(extent.xs.begin(), extent.xs.end());
  const std::array ends = {*minimum / (plotted.arithmetic ? 2.0 : 1.1), *maximum * 1.2};
  extent.xs.insert(extent.xs.end(), ends.begin(), ends.end());
  return extent;
}

// Adds the line of the lower roof, as far as it lies within the panel.
void add_roof(text_output::SvgChart& chart, text_output::SvgPanel& panel, const PlottedRoofs& plotted) {
  if (!plotted.memory && !plotted.compute) return;
  text_output::SvgSeries roof{chart.legend.size(), text_output::SvgShape::kLine, {}};
  constexpr int kSteps = 200;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = panel.x.low * std::pow(panel.x.high / panel.x.low, static_cast<double>(i) / kSteps);
    const double by_compute = plotted.compute.value_or(std::numeric_limits<double>::infinity());
    const double by_memory = !plotted.memory      ? std::numeric_limits<double>::infinity()
                             : plotted.arithmetic ? *plotted.memory * x
                                                  : *plotted.memory / x;
    const double y = std::min(by_memory, by_compute);
    if (y >= panel.y.low && y <= panel.y.high) roof.points.emplace_back(x, y);
  }
  if (roof.points.empty()) return;
  chart.legend.push_back(
      fmt::format("roofs: {:.3g} TB/s{}", plotted.memory.value_or(0.0) * 1e-12,
                  plotted.compute ? fmt::format(", {:.3g} TFLOP/s", *plotted.compute * 1e-12) : ""));
  panel.series.push_back(std::move(roof));
}

}  // namespace

std::string roofline_plot(const ReportWorkload& workload) {
  const model::Work& work = workload.recording.work;
  if (!(work.flops > 0) && !(work.bytes > 0)) {
    throw base::WorkError(
        fmt::format("{}: operations and bytes are unknown, so there is nothing to draw under the roofs; give "
                    "them in [work] of "
                    "the kernel definition",
                    title_of(workload)));
  }
  const PlottedRoofs plotted(work, workload.recording.roofs);
  const Extent extent = extent_of(workload, plotted);
  text_output::SvgChart chart{{}, 1, kPlotWidth, kPlotHeight, "", {}};
  text_output::SvgPanel panel{
      title_of(workload) + ": roofline",
      log_axis(plotted.arithmetic ? "flop per byte of device memory"
                                  : "device-memory traffic over the minimum that must move",
               extent.xs),
      log_axis(plotted.arithmetic ? "TFLOP/s" : "useful bandwidth, GB/s", extent.ys,
               plotted.arithmetic ? 1e12 : 1e9),
      {}};
  add_rows(chart, panel, workload, [&](const Measurement& row) { return place_of(row, work); });
  add_roof(chart, panel, plotted);
  chart.panels.push_back(std::move(panel));
  return text_output::svg_text(chart);
}

}  // namespace warptune::tuner::html_report
