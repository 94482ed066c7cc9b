#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::profiling::counters {

/// One row of the catalogue: a metric that warptune knows and explains.
struct MetricInfo {
  std::string_view name;   ///< CUPTI's name.
  std::string_view title;  ///< A short text for tables: "DRAM throughput".
  std::string_view unit;   ///< "%", "byte", "ratio", "ns", "cycle", "Hz", ... or "".
  std::string_view description;
  bool core;  ///< Whether it is in the core set, which is read for every measured configuration.
};
std::span<const MetricInfo> metric_catalogue();
/// Returns CUPTI's metric for a stall reason (`long_scoreboard`): the cycles that warps wait for that reason,
/// summed over the warps, per issued instruction.
std::string stall_metric(std::string_view reason);
/// Returns the names of the core set.
std::vector<std::string> core_metrics();
/// Returns the full set: the names of the whole catalogue except for two totals. The set has their loads and
/// stores as separate metrics. It takes 12 passes on GH100.
std::vector<std::string> full_metrics();

/// The number of passes that a set of metrics takes on a chip, and the names that the chip lacks.
struct PassPlan {
  std::size_t passes = 0;
  std::vector<std::string> unknown;
};
/// Plans the passes of a set of metrics. Needs CUPTI, but no GPU. `chip` is CUPTI's name ("GH100"). Throws
/// `base::MachineError` when CUPTI is missing, and `base::InputError` when the chip is unknown.
PassPlan plan_passes(const std::string& chip, const std::vector<std::string>& metrics);

/// Loads CUPTI without calling it. Throws `base::MachineError` if it cannot be loaded.
void require_cupti();

}  // namespace warptune::profiling::counters
