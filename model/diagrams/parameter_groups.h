#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/parameter.h"

namespace warptune::model::diagrams {

/// Parameters that constraints connect, in the order in which a diagram chooses them.
struct ParameterGroup {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> conditions;
};

/// Splits `members` (indices of parameters) into groups, so that each of `conditions` lies within one group.
/// `conditions` are indices into `used`, which lists the parameters of each condition; all of them are
/// members. Groups are in the order of their first members.
///
/// Within a group a greedy rule orders the parameters, because the order determines the size of the diagram.
/// The next parameter is the one that leaves the fewest chosen parameters needed. Among equal ones it
/// completes the most conditions, and then has the fewest values.
std::vector<ParameterGroup> group_parameters(std::span<const Parameter> parameters,
                                             std::span<const std::uint32_t> members,
                                             const std::vector<std::vector<std::uint32_t>>& used,
                                             std::span<const std::size_t> conditions);

}  // namespace warptune::model::diagrams
