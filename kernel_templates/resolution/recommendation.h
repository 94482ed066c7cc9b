// Chooses among the configurations that a definition recommends (`[[recommended]]`).
#pragma once

#include <cstddef>
#include <optional>

#include "kernel_templates/kernel_definition.h"
#include "model/space.h"

namespace warptune::kernel_templates::resolution {

/// The place in `KernelDefinition::recommendations` of the first one whose condition holds for the constants:
/// the problem and the attributes of a GPU. A condition that cannot be computed does not hold.
std::optional<std::size_t> matching_recommendation(const KernelDefinition& definition,
                                                   const model::NamedValues& constants);

/// The values of the first recommendation whose condition holds and which the space contains. Otherwise
/// nothing is recommended, and the result is empty.
model::NamedValues recommended_configuration(const KernelDefinition& definition,
                                             const model::NamedValues& constants, const model::Space& space);

}  // namespace warptune::kernel_templates::resolution
