#include "search/analysis/metric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "model/objective.h"
#include "model/outputs/reproducibility.h"
#include "model/own_metrics.h"

namespace warptune::search::analysis {

namespace {

constexpr std::array<std::string_view, 7> kResources = {
    "registers", "shared_bytes", "local_bytes", "threads", "blocks", "blocks_per_sm", "occupancy"};
// Metrics that restate the time or describe how it was measured.
constexpr std::array<std::string_view, 5> kTimingMetrics = {
    "gpu__time_duration.sum", model::own_metric::kFirstLaunchNs, model::own_metric::kOffClockSamples,
    model::own_metric::kSmClockMhz, model::own_metric::kEnergyRelativeError};

// The resources without those that follow from others: threads and blocks per SM.
constexpr std::array<std::string_view, 5> kExplaining = {"registers", "shared_bytes", "local_bytes",
                                                         "occupancy", "blocks"};

}  // namespace

bool is_resource(std::string_view name) {
  return std::find(kResources.begin(), kResources.end(), name) != kResources.end();
}

Metric metric_named(std::string_view name) {
  if (name == "time" || is_resource(name)) {
    return {std::string(name),
            [objective = model::Objective::parse(name)](const model::Measurement& measurement) {
              // All resources are known, or none of them. An occupancy of 0 alone does not mean unknown.
              const bool unknown = measurement.resources.threads_per_block == 0 && !objective.is_time();
              return unknown ? std::nullopt : objective.value(measurement);
            }};
  }
  return {std::string(name), [name = std::string(name)](const model::Measurement& measurement) {
            const auto found = measurement.counters.find(name);
            const bool known = found != measurement.counters.end() && std::isfinite(found->second);
            return known ? std::optional(found->second) : std::nullopt;
          }};
}

std::vector<Metric> explaining_metrics(const TimedRows& rows) {
  std::set<std::string_view> counters;
  bool has_resources = false;
  for (const model::Measurement* row : rows.measurements) {
    has_resources = has_resources || row->resources.threads_per_block > 0;
    for (const auto& counter : row->counters) counters.insert(counter.first);
  }
  for (const std::string_view name : kTimingMetrics) counters.erase(name);
  // Which bits the outputs have explains no time.
  for (const std::string& name : model::outputs::output_bit_metrics()) counters.erase(name);
  std::vector<Metric> metrics;
  metrics.reserve(counters.size() + kExplaining.size());
  for (const std::string_view name : counters) metrics.push_back(metric_named(name));
  if (!has_resources) return metrics;
  for (const std::string_view name : kExplaining) metrics.push_back(metric_named(name));
  return metrics;
}

}  // namespace warptune::search::analysis
