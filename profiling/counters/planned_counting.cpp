#include "profiling/counters/planned_counting.h"

#include <map>
#include <memory>
#include <utility>

#include "profiling/counters/counter_image.h"
#include "profiling/counters/derived_metrics.h"
#include "profiling/counters/metric_planner.h"

namespace warptune::profiling::counters {

std::vector<std::string> countable_chips() { return supported_chips(); }

CountingConfig counting_config(const std::string& chip, const std::vector<std::string>& asked) {
  MetricChoice choice = choose_metrics(chip, asked);
  CountingConfig config;
  config.chip = chip;
  config.warnings = std::move(choice.warnings);
  if (choice.metrics.empty()) return config;
  config.metrics = with_free_duration(chip, std::move(choice.metrics));
  ProfilerHost host(chip);
  config.image = host.configure(config.metrics);
  config.passes = passes_of(config.image);
  return config;
}

// The host object takes 0.6 ms, so one for each image is cheap beside the launch that was counted.
std::vector<model::Counters> counters_of(const CountingConfig& config,
                                         const std::vector<std::uint8_t>& image) {
  const ProfilerHost host(config.chip);
  std::vector<model::Counters> counters;
  for (RangeCounts& range : evaluate_image(host, config.metrics, image))
    counters.push_back(std::move(range.counters));
  return counters;
}

void complete_counters(model::Counters& counters, std::optional<double> launch_ns) {
  const auto duration = counters.find(kDurationMetric);
  const double range_ns = duration == counters.end() ? 0.0 : duration->second;
  if (launch_ns && range_ns > 0.0 && !model::drop_disturbed_counters(counters, *launch_ns))
    scale_to_launch_time(counters, range_ns, launch_ns);
  add_derived_metrics(counters);
}

}  // namespace warptune::profiling::counters
