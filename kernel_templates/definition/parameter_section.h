#pragma once

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Reads [parameters] with their conditions. Form only: the names of conditions are checked by `check_names`.
void read_parameters(const TableReader& table, KernelDefinition& definition);

/// Adds for each conditional parameter the constraint that it has its `otherwise` value where its condition
/// does not hold. Throws `base::InputError` at a condition that, through others, depends on its own
/// parameter, naming the circle.
void constrain_conditional_parameters(KernelDefinition& definition);

}  // namespace warptune::kernel_templates::definition
