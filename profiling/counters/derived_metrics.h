#pragma once

#include <string>
#include <vector>

#include "model/measurement.h"

namespace warptune::profiling::counters {

/// Replaces the names of derived metrics by what they are computed from; each name once, in order. One that
/// comes in passing, of metrics that are asked for anyway, needs nothing.
std::vector<std::string> expand_derived_metrics(const std::vector<std::string>& metrics);

/// Adds each derived metric whose inputs were read and that is not there yet.
void add_derived_metrics(model::Counters& counters);

}  // namespace warptune::profiling::counters
