// Checks what is known when a problem and a GPU are chosen, before any configuration.
#pragma once

#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::resolution {

/// Throws `base::InputError` if a tolerance is negative. Also throws for a grid or block that depends on no
/// parameter and that no GPU can launch. That is one without a value, below 1, or above the limits of all
/// GPUs. `constants` are the problem and the device's attributes.
void check_problem(const KernelDefinition& definition, const model::NamedValues& problem,
                   const model::NamedValues& constants);

}  // namespace warptune::kernel_templates::resolution
