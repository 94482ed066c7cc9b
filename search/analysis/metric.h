#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measurement.h"
#include "search/analysis/timed_rows.h"

namespace warptune::search::analysis {

/// A number that a measurement may have, by name.
struct Metric {
  std::string name;
  std::function<std::optional<double>(const model::Measurement&)> value;
};

/// `time` (ns), a resource as objectives name them (`registers`, `shared_bytes`, `local_bytes`, `threads`,
/// `blocks`, `blocks_per_sm`, `occupancy`), else a counter by its name; one that a row lacks has no value.
Metric metric_named(std::string_view name);

/// Whether it is one of those resources.
bool is_resource(std::string_view name);

/// What can tell why a time changed: the counters that any row has, by name, without those that restate the
/// time (durations, the clock, how samples were taken), and of the resources, where they are known, those
/// that no other implies.
std::vector<Metric> explaining_metrics(const TimedRows& rows);

}  // namespace warptune::search::analysis
