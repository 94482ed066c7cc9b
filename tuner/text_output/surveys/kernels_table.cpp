#include "tuner/text_output/surveys/kernels_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "survey/analysis/short_kernel_name.h"
#include "tuner/text_output/surveys/counters_report.h"
#include "tuner/text_output/surveys/report_words.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output::surveys {

namespace {

using survey::analysis::KernelTime;
using survey::analysis::SurveyAnalysis;
using survey::records::KernelShape;
using survey::records::Survey;

constexpr std::size_t kNameWidth = 54;  // The table of kernels fits into 100 columns.
constexpr std::size_t kBoundWidth = 9;

std::string kibibytes(std::uint32_t bytes) {
  return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} B", bytes);
}

std::string shared_memory_text(const KernelShape& shape) {
  if (shape.static_shared == 0 && shape.dynamic_shared == 0) return "no shared memory";
  if (shape.dynamic_shared == 0) return kibibytes(shape.static_shared) + " static shared memory";
  if (shape.static_shared == 0) return kibibytes(shape.dynamic_shared) + " dynamic shared memory";
  return fmt::format("{} static + {} dynamic shared memory", kibibytes(shape.static_shared),
                     kibibytes(shape.dynamic_shared));
}

// The geometry and the resources of a kernel's usual launch.
std::string launch_text(const KernelTime& kernel, const KernelShape& shape) {
  std::string text = fmt::format("grid {}, block {}", sizes_text(shape.grid), sizes_text(shape.block));
  if (shape.cluster[0] > 0) text += fmt::format(", cluster {}", sizes_text(shape.cluster));
  text += fmt::format(", {}, {}", base::counted(shape.registers, "register"), shared_memory_text(shape));
  if (shape.local_bytes > 0) text += fmt::format(", {} B local memory", shape.local_bytes);
  std::vector<std::string_view> limiters;
  for (const profiling::diagnosis::OccupancyLimiter limiter : kernel.occupancy_limiters)
    limiters.push_back(to_string(limiter));
  if (!limiters.empty()) text += fmt::format("; occupancy limited by {}", fmt::join(limiters, ", "));
  return text;
}

}  // namespace

std::string kernels_table(const Survey& survey, const SurveyAnalysis& analysis) {
  if (analysis.kernels.empty()) return "";
  // Below 1.01, no kernel is worth a look for its own sake.
  const bool has_bounds = std::any_of(analysis.kernels.begin(), analysis.kernels.end(),
                                      [](const KernelTime& kernel) { return kernel.bound >= 1.01; });
  std::vector<std::string> head = {"share", "time", "launches", "median", "occupancy"};
  if (has_bounds) head.emplace_back("if free");
  std::vector<std::size_t> right;
  for (std::size_t i = 0; i < head.size(); ++i) right.push_back(i);
  head.emplace_back("kernel");
  TextTable table(head, right);
  for (std::size_t i = 0; i < std::min(kTableRows, analysis.kernels.size()); ++i) {
    const KernelTime& kernel = analysis.kernels[i];
    std::vector<std::string> row = {survey_percent(kernel.share), survey_time_text(kernel.duration),
                                    std::to_string(kernel.launches), survey_time_text(kernel.median),
                                    kernel.occupancy ? survey_percent(*kernel.occupancy) : "-"};
    if (has_bounds) row.push_back(fmt::format("{:.2f}x", kernel.bound));
    row.push_back(survey::analysis::short_kernel_name(survey.names[kernel.name],
                                                      has_bounds ? kNameWidth - kBoundWidth : kNameWidth));
    table.add(row);
    table.add_below(launch_text(kernel, survey.shapes[kernel.usual_shape]));
  }
  return "\nKernels (below each: its usual launch, with registers of a thread and shared memory of a "
         "block)\n" +
         table.text() + more_rows_text(analysis.kernels.size(), "more kernel", "more kernels");
}

}  // namespace warptune::tuner::text_output::surveys
