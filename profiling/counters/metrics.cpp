#include "profiling/counters/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiling/counters/cupti.h"
#include "profiling/counters/metric_planner.h"

namespace warptune::profiling::counters {

std::string stall_metric(std::string_view reason) {
  return fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason);
}

std::vector<std::string> core_metrics() {
  std::vector<std::string> names;
  for (const MetricInfo& metric : metric_catalogue()) {
    if (metric.core) names.emplace_back(metric.name);
  }
  return names;
}

std::vector<std::string> full_metrics() {
  // These two totals are left out, because the set counts loads and stores separately. With them, the set
  // would take 13 passes on GH100 instead of 12.
  constexpr std::string_view kLeftOut[] = {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                                           "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"};
  std::vector<std::string> names;
  for (const MetricInfo& metric : metric_catalogue()) {
    if (std::find(std::begin(kLeftOut), std::end(kLeftOut), metric.name) == std::end(kLeftOut))
      names.emplace_back(metric.name);
  }
  return names;
}

PassPlan plan_passes(const std::string& chip, const std::vector<std::string>& metrics) {
  MetricPlan plan = plan_metrics(chip, metrics);
  return {plan.passes, std::move(plan.unknown)};
}

void require_cupti() { cupti(); }

}  // namespace warptune::profiling::counters
