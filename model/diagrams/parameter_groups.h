#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/parameter.h"

namespace warptune::model::diagrams {

/// Parameters that constraints join, in the order in which to choose them.
struct ParameterGroup {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> conditions;
};

/// Splits parameters into groups that no condition joins: those among `members` (indices) by `conditions`
/// (indices into `used`, whose elements are the parameters of a condition, all of them members). Inside a
/// group the next parameter is the one that keeps the fewest chosen ones needed, then completes the most
/// conditions, then has the fewest values. Groups stand in the order of their first member.
std::vector<ParameterGroup> group_parameters(std::span<const Parameter> parameters,
                                             std::span<const std::uint32_t> members,
                                             const std::vector<std::vector<std::uint32_t>>& used,
                                             std::span<const std::size_t> conditions);

}  // namespace warptune::model::diagrams
