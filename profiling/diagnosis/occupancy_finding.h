#pragma once

#include <optional>
#include <string_view>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Returns a finding if `limiter` keeps the occupancy low and more warps could help, otherwise std::nullopt.
/// `limiter_text` is the name of the limiter in the finding's title.
std::optional<Finding> low_occupancy_finding(const Facts& facts, OccupancyLimiter limiter,
                                             std::string_view limiter_text);

}  // namespace warptune::profiling::diagnosis
