#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::profiling::counters {

/// One row of the catalogue of metrics that warptune knows and explains.
struct MetricInfo {
  std::string_view name;   ///< CUPTI's name.
  std::string_view title;  ///< Short, for tables: "DRAM throughput".
  std::string_view unit;   ///< "%", "byte", "ratio", "ns", "cycle", "Hz", ... or "".
  std::string_view description;
  bool core;  ///< In the core set, read of every measured configuration.
};
std::span<const MetricInfo> metric_catalogue();
/// CUPTI's name of how many warps wait for a reason (`long_scoreboard`), for each issue.
std::string stall_metric(std::string_view reason);
/// The core set's names.
std::vector<std::string> core_metrics();
/// The whole catalogue's names, less those that are read of others at no cost (the sum of loads and stores):
/// 12 passes on GH100.
std::vector<std::string> full_metrics();

/// Passes that a set takes on a chip, and the names that the chip lacks. Needs CUPTI, no GPU.
struct PassPlan {
  std::size_t passes = 0;
  std::vector<std::string> unknown;
};
/// `chip` is CUPTI's name ("GH100"). Throws `base::MachineError` when CUPTI is missing, `base::InputError` on
/// an unknown chip.
PassPlan plan_passes(const std::string& chip, const std::vector<std::string>& metrics);

}  // namespace warptune::profiling::counters
