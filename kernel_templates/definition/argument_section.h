#pragma once

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Reads every [[argument]]; at least one is required. Only the form is checked here. `check_names` checks
/// the names.
void read_arguments(const TableReader& root, KernelDefinition& definition);

}  // namespace warptune::kernel_templates::definition
