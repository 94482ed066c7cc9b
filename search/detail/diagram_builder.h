#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/detail/decision_diagram.h"
#include "search/detail/formula.h"
#include "search/parameter.h"

namespace warptune::search::detail {

/// Encloses the values of a parameter.
Interval interval_of(const Parameter& parameter);

/// Builds the diagram of one group. `order[level]` is the parameter chosen at a level, `roots` the group's
/// conditions in `formula`, whose variables are indices into `parameters`.
///
/// A state is what the chosen levels leave of the conditions: the values of their sub-expressions that are
/// complete, without those that only serve conditions already decided. Equal states share one node, so a
/// condition such as `a * b * c <= n` costs the distinct products, not the combinations. Conditions are
/// decided early by interval arithmetic.
DecisionDiagram build_diagram(const Formula& formula, std::span<const std::uint32_t> roots,
                              std::span<const std::uint32_t> order, std::span<const Parameter> parameters);

}  // namespace warptune::search::detail
