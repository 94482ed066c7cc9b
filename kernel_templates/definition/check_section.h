#pragma once

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Reads `[check]` into the definition, whose problem, parameters, default and arguments must have been read.
void read_check(const TableReader& table, KernelDefinition& definition);

}  // namespace warptune::kernel_templates::definition
