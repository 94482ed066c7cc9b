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

}  // namespace

std::string roofline_plot(const ReportWorkload& workload) {
  const model::Work& work = workload.recording.work;
  const model::Roofs& roofs = workload.recording.roofs;
  if (!(work.flops > 0) && !(work.bytes > 0)) {
    throw base::WorkError(
        fmt::format("{}: operations and bytes are unknown, so there is nothing to draw under the roofs; give "
                    "them in [work] of "
                    "the kernel definition",
                    title_of(workload)));
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
  for (const Measurement* row : timed(workload)) {
    if (const auto at = place(*row)) {
      xs.push_back(at->first);
      ys.push_back(at->second);
    }
  }
  if (ys.empty())
    throw base::WorkError(fmt::format("{}: the bytes of all configurations are unknown", title_of(workload)));
  if (arithmetic && compute > 0) ys.push_back(compute);
  if (!arithmetic && memory > 0) ys.push_back(memory);
  const auto [minimum, maximum] = std::minmax_element(xs.begin(), xs.end());
  const std::array ends = {*minimum / (arithmetic ? 2.0 : 1.1), *maximum * 1.2};
  xs.insert(xs.end(), ends.begin(), ends.end());
  text_output::SvgChart chart{{}, 1, kPlotWidth, kPlotHeight, "", {}};
  text_output::SvgPanel panel{
      title_of(workload) + ": roofline",
      log_axis(arithmetic ? "flop per byte of device memory"
                          : "device-memory traffic over the minimum that must move",
               xs),
      log_axis(arithmetic ? "TFLOP/s" : "useful bandwidth, GB/s", ys, arithmetic ? 1e12 : 1e9),
      {}};
  add_rows(chart, panel, workload, place);
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

}  // namespace warptune::tuner::html_report
