// Whether the default configuration of a definition fits the space of a problem on a GPU.
#pragma once

#include "kernel_templates/kernel_definition.h"
#include "model/space.h"

namespace warptune::kernel_templates::resolution {

bool is_valid_default(const KernelDefinition& definition, const model::Space& space);

/// Throws `base::InputError` where the space is empty, and where the definition alone makes its default
/// invalid: no size was given in `overrides`, and no constraint on the GPU. Counts the space only where the
/// default does not prove that there is a configuration: counting builds its diagrams.
void check_default(const KernelDefinition& definition, const model::NamedValues& problem,
                   const model::NamedValues& overrides, const model::Space& space);

}  // namespace warptune::kernel_templates::resolution
