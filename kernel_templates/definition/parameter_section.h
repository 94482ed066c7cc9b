#pragma once

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Reads [parameters] with their conditions. Only the form is checked here. `check_names` checks the names of
/// the conditions.
void read_parameters(const TableReader& table, KernelDefinition& definition);

/// Adds a constraint for each conditional parameter: it has its `otherwise` value if its condition does not
/// hold. Throws `base::InputError` if conditions depend on each other in a circle, which the message lists.
void constrain_conditional_parameters(KernelDefinition& definition);

}  // namespace warptune::kernel_templates::definition
