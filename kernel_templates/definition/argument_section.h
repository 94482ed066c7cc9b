#pragma once

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Reads every [[argument]]; there must be one. Form only: names are checked by `check_names`.
void read_arguments(const TableReader& root, KernelDefinition& definition);

}  // namespace warptune::kernel_templates::definition
