#pragma once

#include <string>
#include <vector>

#include "search/measurement.h"

namespace warptune::profiling::detail {

/// Replaces the names of derived metrics by what they are computed from; each name once, in order. A chip may
/// count some derived metrics itself (`sums`): these stay, and are computed only where nobody asked for them.
std::vector<std::string> expand_derived_metrics(const std::vector<std::string>& metrics);

/// `metrics` without those that a chip counts itself but that are no more than a sum of others among
/// `metrics`.
std::vector<std::string> without_sums(const std::vector<std::string>& metrics);

/// Adds each derived metric whose inputs were read and that is not there yet.
void add_derived_metrics(search::Counters& counters);

}  // namespace warptune::profiling::detail
