#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measurement.h"
#include "search/analysis/timed_rows.h"

namespace warptune::search::analysis {

/// A named number of a measurement. `value` returns std::nullopt if a measurement does not have it.
struct Metric {
  std::string name;
  std::function<std::optional<double>(const model::Measurement&)> value;
};

/// The metric with this name: `time` (ns), a resource (`registers`, `shared_bytes`, `local_bytes`, `threads`,
/// `blocks`, `blocks_per_sm`, `occupancy`), or else a hardware counter.
Metric metric_named(std::string_view name);

/// Whether the name is one of these resources.
bool is_resource(std::string_view name);

/// The metrics that can explain why a time changed, counters first and in the order of their names.
///
/// These are the counters that at least one row has, without those that only restate the time: durations, the
/// clock, and numbers of samples. If resources are known, those that do not follow from others are added.
std::vector<Metric> explaining_metrics(const TimedRows& rows);

}  // namespace warptune::search::analysis
