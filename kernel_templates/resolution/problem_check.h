// Checks what is known when a problem and a GPU are chosen, before any configuration.
#pragma once

#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::resolution {

/// Throws `base::InputError` if a tolerance is negative, or if no GPU can launch a grid or block that depends
/// on no parameter. No GPU can launch it if one of its expressions has no value, or a value below 1 or above
/// the limits of all GPUs. `constants` are the problem and the device's attributes.
void check_problem(const KernelDefinition& definition, const model::NamedValues& problem,
                   const model::NamedValues& constants);

}  // namespace warptune::kernel_templates::resolution
