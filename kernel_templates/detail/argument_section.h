#pragma once

#include "kernel_templates/detail/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::detail {

/// Reads every [[argument]]; there must be one. Form only: names are checked by `check_names`.
void read_arguments(const TableReader& root, KernelDefinition& definition);

}  // namespace warptune::kernel_templates::detail
