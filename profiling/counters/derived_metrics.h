#pragma once

#include <string>
#include <vector>

#include "model/measurement.h"

namespace warptune::profiling::counters {

/// Replaces the names of derived metrics by the metrics that they are computed from. Each name appears once,
/// and the order is kept. A derived metric that can be computed from metrics in the list is only left out.
std::vector<std::string> expand_derived_metrics(const std::vector<std::string>& metrics);

/// Adds each derived metric whose inputs were read, unless `counters` already has it.
void add_derived_metrics(model::Counters& counters);

}  // namespace warptune::profiling::counters
