#include "profiling/metrics.h"

#include <utility>

#include "profiling/detail/derived_metrics.h"
#include "profiling/detail/metric_planner.h"

namespace warptune::profiling {

std::vector<std::string> core_metrics() {
  std::vector<std::string> names;
  for (const MetricInfo& metric : metric_catalogue()) {
    if (metric.core) names.emplace_back(metric.name);
  }
  return names;
}

std::vector<std::string> full_metrics() {
  std::vector<std::string> names;
  for (const MetricInfo& metric : metric_catalogue()) names.emplace_back(metric.name);
  return detail::without_sums(names);
}

PassPlan plan_passes(const std::string& chip, const std::vector<std::string>& metrics) {
  detail::MetricPlan plan = detail::plan_metrics(chip, metrics);
  return {plan.passes, std::move(plan.unknown)};
}

}  // namespace warptune::profiling
