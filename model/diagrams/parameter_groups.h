#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/parameter.h"

namespace warptune::model::diagrams {

/// Parameters that constraints connect, in the order in which a diagram chooses them.
struct ParameterGroup {
  std::vector<std::uint32_t> order;     ///< Indices of parameters.
  std::vector<std::size_t> conditions;  ///< Indices of the conditions that use these parameters.
};

/// Splits `members` (indices of parameters) into groups, so that each of `conditions` lies within one group.
/// `conditions` are indices into `used`, which lists the parameters of each condition. Each parameter of
/// `conditions` is a member. Groups are in the order of their first members.
///
/// Within a group a greedy rule orders the parameters, because the order determines the size of the diagram.
/// A chosen parameter is needed until all parameters of its conditions are chosen. The rule chooses the
/// parameter after which the fewest chosen parameters are still needed. Among equal ones, it chooses the
/// parameter that completes the most conditions, and among these the one with the fewest values.
std::vector<ParameterGroup> group_parameters(std::span<const Parameter> parameters,
                                             std::span<const std::uint32_t> members,
                                             const std::vector<std::vector<std::uint32_t>>& used,
                                             std::span<const std::size_t> conditions);

}  // namespace warptune::model::diagrams
