#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/parameter.h"

namespace warptune::search::detail {

/// Parameters that constraints join, in the order in which to choose them.
struct ParameterGroup {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> conditions;
};

/// Splits parameters into groups that no condition joins; `used[c]` are the parameters of condition c. Inside
/// a group the next parameter is the one that keeps the fewest chosen ones needed, then completes the most
/// conditions, then has the fewest values.
std::vector<ParameterGroup> group_parameters(std::span<const Parameter> parameters,
                                             const std::vector<std::vector<std::uint32_t>>& used);

}  // namespace warptune::search::detail
