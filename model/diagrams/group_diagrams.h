#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/diagrams/decision_diagram.h"
#include "model/parameter.h"
#include "model/space.h"

namespace warptune::model::diagrams {

/// The groups of a space, and the constraints that their diagrams do not contain.
struct GroupDiagrams {
  std::vector<DecisionDiagram> groups;
  std::vector<std::size_t> left_out;  ///< Indices of constraints, in ascending order.
  std::size_t attempts = 0;           ///< The number of diagrams that were too large.
  bool empty = false;                 ///< No configuration meets the constraints. There are then no groups.
};

/// Splits the parameters into groups that constraints connect, and builds the diagram of each group. If a
/// diagram would exceed `limits`, the group's condition with the most parameters is left out. The rest of the
/// group is then split again. Each new attempt may try half as many values as the one before, down to a
/// minimum. After eight such attempts two conditions are left out at a time, then four, and so on.
GroupDiagrams build_groups(std::span<const Parameter> parameters, std::span<const Constraint> constraints,
                           const NamedValues& constants, const SpaceLimits& limits);

/// The diagram of exactly these configurations. Each has a value index for each parameter.
DecisionDiagram listed_diagram(std::vector<Configuration> configurations, std::size_t parameter_count);

}  // namespace warptune::model::diagrams
