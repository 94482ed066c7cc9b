#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/diagrams/decision_diagram.h"
#include "model/expressions/formula.h"
#include "model/parameter.h"

namespace warptune::model::diagrams {

/// What building may cost before it is given up.
struct BuildLimits {
  std::uint64_t evaluations = 0;  ///< Values tried and bounds looked for, counted down.
  std::size_t memory_bytes = 0;   ///< Of diagram and state tables together.
};

/// The variables of a formula over `parameters` (borrowed), `order[level]` being chosen at a level.
std::vector<expressions::FormulaVariable> variables_of(std::span<const Parameter> parameters,
                                                       std::span<const std::uint32_t> order);

/// Builds the diagram of one group; nothing when it would exceed `limits`. `order[level]` is the parameter
/// chosen at a level, `roots` the group's conditions in `formula`, whose variables are indices into
/// `parameters`.
///
/// A state is what the chosen levels leave of the conditions: the values of their sub-expressions that are
/// complete, without those that only serve conditions already decided. Equal states share one node, so a
/// condition such as `a * b * c <= n` costs the distinct products, not the combinations. Conditions are
/// decided early by interval arithmetic, and where one is monotone in a parameter, the stretch of its values
/// that can do is found by bisection.
std::optional<DecisionDiagram> build_diagram(const expressions::Formula& formula,
                                             std::span<const std::uint32_t> roots,
                                             std::span<const std::uint32_t> order,
                                             std::span<const Parameter> parameters, BuildLimits& limits);

}  // namespace warptune::model::diagrams
