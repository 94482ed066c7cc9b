// Checks what is known when a problem and a GPU are chosen, before any configuration.
#pragma once

#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::resolution {

/// Throws `base::InputError` if a tolerance is negative. Also throws for a grid or block that no
/// configuration can launch: it depends on no parameter, and it has no value, is below 1, or exceeds the
/// limits of all GPUs. `constants` are the problem and the device's attributes.
void check_problem(const KernelDefinition& definition, const model::NamedValues& problem,
                   const model::NamedValues& constants);

}  // namespace warptune::kernel_templates::resolution
