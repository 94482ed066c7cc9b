// Checks the default configuration of a definition against the space of a problem on a GPU.
#pragma once

#include <optional>
#include <string>

#include "kernel_templates/kernel_definition.h"
#include "model/space.h"

namespace warptune::kernel_templates::resolution {

/// Whether the definition has a default configuration, and the space contains it.
bool is_valid_default(const KernelDefinition& definition, const model::Space& space);

/// Why values are not a configuration of the space: what is wrong with them, or the constraint that they
/// break. Empty if nothing is.
std::optional<std::string> why_not_in(const model::Space& space, const model::NamedValues& values);

/// Whether a configuration meets every constraint that does not use a device attribute. Then the definition
/// is right, and only a GPU cannot run the configuration.
bool violates_only_gpu_constraints(const KernelDefinition& definition,
                                   const model::NamedValues& configuration,
                                   const model::NamedValues& problem);

/// Throws `base::InputError` if the space is empty; the message names constraints that conflict. Also throws
/// if the default is invalid because of the definition alone: no size was given in `overrides`, and the
/// violated constraint does not depend on the GPU. Whether the space is empty is examined only if the default
/// is not a valid configuration, because this builds the space's diagrams.
void check_default(const KernelDefinition& definition, const model::NamedValues& problem,
                   const model::NamedValues& constants, const model::NamedValues& overrides,
                   const model::Space& space);

}  // namespace warptune::kernel_templates::resolution
