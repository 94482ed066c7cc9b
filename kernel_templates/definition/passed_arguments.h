#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Reads the key `arguments` of a table that launches a kernel: what the launch passes. No value if the key
/// is missing. The definition's arguments must have been read.
std::optional<std::vector<HostArgument>> read_passed_arguments(const TableReader& table,
                                                               const KernelDefinition& definition);
/// Checks the names in what a launch passes.
void check_passed_arguments(const std::vector<HostArgument>& arguments,
                            const std::vector<std::string>& known);

}  // namespace warptune::kernel_templates::definition
