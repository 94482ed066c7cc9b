// Chooses among the configurations that a definition recommends (`[[recommended]]`).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/result.h"
#include "kernel_templates/kernel_definition.h"
#include "model/space.h"

namespace warptune::kernel_templates::resolution {

/// Whether the condition of a recommendation holds for the constants, which are the problem and the
/// attributes of a GPU. A condition that cannot be computed does not hold.
bool condition_holds(const Recommendation& recommendation, const model::NamedValues& constants);

/// Whether the conditions of the same recommendations hold for both.
bool same_conditions_hold(const KernelDefinition& definition, const model::NamedValues& constants,
                          const model::NamedValues& other);

/// The cost of a recommendation for the constants; 0 if it has none. Fails if the cost cannot be computed or
/// is not finite.
base::Result<double> cost_of(const Recommendation& recommendation, const model::NamedValues& constants);

/// The places in `KernelDefinition::recommendations` of those whose conditions hold for the constants, whose
/// costs can be computed, and whose values the space contains. They are in the order of preference: group
/// after group (`Recommendation::cost`), by ascending cost within a group, and as written where costs are
/// equal.
std::vector<std::size_t> valid_recommendations(const KernelDefinition& definition,
                                               const model::NamedValues& constants,
                                               const model::Space& space);

/// The place of the most preferred one, whether its values are valid or not.
std::optional<std::size_t> matching_recommendation(const KernelDefinition& definition,
                                                   const model::NamedValues& constants);

}  // namespace warptune::kernel_templates::resolution
