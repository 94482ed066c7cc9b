#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Reads the key `arguments` of a table that launches a kernel. It lists the arguments that the launch
/// passes. Returns std::nullopt if the key is missing. The definition's own arguments must have been read
/// before.
std::optional<std::vector<HostArgument>> read_passed_arguments(const TableReader& table,
                                                               const KernelDefinition& definition);
/// Throws `base::InputError` if an offset or a value of `arguments` uses a name that is not in `known`.
void check_passed_arguments(const std::vector<HostArgument>& arguments,
                            const std::vector<std::string>& known);

}  // namespace warptune::kernel_templates::definition
