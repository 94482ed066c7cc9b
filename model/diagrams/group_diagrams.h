#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/diagrams/decision_diagram.h"
#include "model/parameter.h"
#include "model/space.h"

namespace warptune::model::diagrams {

/// The groups of a space, and what did not fit into them.
struct GroupDiagrams {
  std::vector<DecisionDiagram> groups;
  std::vector<std::size_t> left_out;  ///< Constraints, by index, ascending.
  std::size_t attempts = 0;           ///< Diagrams that were given up as too large.
  bool empty = false;                 ///< Nothing meets the constraints; then there are no groups.
};

/// Splits the parameters into groups that constraints join and builds the diagram of each. Where that would
/// take more than `limits`, the group's condition with the most parameters is left out and what remains is
/// grouped anew, with half the evaluations; after eight such attempts two conditions, then four, and so on.
GroupDiagrams build_groups(std::span<const Parameter> parameters, std::span<const Constraint> constraints,
                           const NamedValues& constants, const SpaceLimits& limits);

/// The diagram of exactly these configurations, each with an index for each parameter.
DecisionDiagram listed_diagram(std::vector<Configuration> configurations, std::size_t parameter_count);

}  // namespace warptune::model::diagrams
