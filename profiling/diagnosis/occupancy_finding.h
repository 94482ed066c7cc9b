#pragma once

#include <optional>
#include <string_view>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Low occupancy by one limiter where more warps could help.
std::optional<Finding> low_occupancy_finding(const Facts& facts, OccupancyLimiter limiter,
                                             std::string_view limiter_text);

}  // namespace warptune::profiling::diagnosis
