#pragma once

#include <string>
#include <vector>

#include "search/measurement.h"

namespace warptune::profiling::detail {

/// Replaces the names of derived metrics by what they are computed from; each name once, in order.
std::vector<std::string> expand_derived_metrics(const std::vector<std::string>& metrics);

/// Adds each derived metric whose inputs were read.
void add_derived_metrics(search::Counters& counters);

}  // namespace warptune::profiling::detail
