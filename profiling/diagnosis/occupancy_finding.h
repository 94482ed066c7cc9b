#pragma once

#include <optional>
#include <string_view>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Returns a finding if `limiter` keeps the occupancy low and more warps could help, otherwise std::nullopt.
/// `limiter_text` names the limiter in the text of the finding.
std::optional<Finding> low_occupancy_finding(const Facts& facts, OccupancyLimiter limiter,
                                             std::string_view limiter_text);

}  // namespace warptune::profiling::diagnosis
