#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/diagrams/decision_diagram.h"
#include "model/expressions/formula.h"
#include "model/parameter.h"

namespace warptune::model::diagrams {

/// The limits of the construction of one diagram.
struct BuildLimits {
  std::uint64_t evaluations = 0;  ///< Remaining values and bounds that may be evaluated.
  std::size_t memory_bytes = 0;   ///< For the diagram and the state tables together.
};

/// Returns one variable of a formula for each of `parameters`. The variables refer to the parameters' values,
/// so `parameters` must outlive them. `order[level]` is the parameter that a level chooses.
std::vector<expressions::FormulaVariable> variables_of(std::span<const Parameter> parameters,
                                                       std::span<const std::uint32_t> order);

/// Builds the diagram of one group. Returns std::nullopt when it would exceed `limits`. `order[level]` is the
/// parameter that a level chooses. `roots` are the group's conditions in `formula`. The variables of
/// `formula` are indices into `parameters`.
///
/// The builder identifies a partial configuration by its state: the values of the complete sub-expressions
/// that undecided conditions still need. Equal states share one node. A condition such as `a * b * c <= n`
/// therefore costs the number of distinct products and not the number of combinations. Interval arithmetic
/// decides conditions early. If a condition is monotone in a parameter, bisection finds the range of values
/// that satisfy it.
std::optional<DecisionDiagram> build_diagram(const expressions::Formula& formula,
                                             std::span<const std::uint32_t> roots,
                                             std::span<const std::uint32_t> order,
                                             std::span<const Parameter> parameters, BuildLimits& limits);

}  // namespace warptune::model::diagrams
