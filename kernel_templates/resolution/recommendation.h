// Chooses among the configurations that a definition recommends (`[[recommended]]`).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kernel_templates/kernel_definition.h"
#include "model/space.h"

namespace warptune::kernel_templates::resolution {

/// The places in `KernelDefinition::recommendations` of those whose conditions hold for the constants, and
/// whose values the space contains. The constants are the problem and the attributes of a GPU. A condition
/// that cannot be computed does not hold.
std::vector<std::size_t> valid_recommendations(const KernelDefinition& definition,
                                               const model::NamedValues& constants,
                                               const model::Space& space);

/// The place of the first one whose condition holds, valid or not.
std::optional<std::size_t> matching_recommendation(const KernelDefinition& definition,
                                                   const model::NamedValues& constants);

}  // namespace warptune::kernel_templates::resolution
