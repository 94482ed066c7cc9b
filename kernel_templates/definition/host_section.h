#pragma once

#include <string>
#include <vector>

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Reads grid, block and so on from a table that launches a kernel. The caller sets the entry.
Launch read_launch(const TableReader& table);
/// The keys that `read_launch` reads.
std::vector<std::string> launch_keys();

/// Reads `[host]` into the definition, whose arguments must have been read. If `[kernel]` has no entry, the
/// first kernel that is launched becomes the entry.
void read_host_program(const TableReader& host, KernelDefinition& definition);

/// Checks every name of the host program, also in the placeholders of entries. `known` are the parameters,
/// problem entries and device attributes. Throws `base::InputError` at an unknown name.
void check_host_names(const KernelDefinition& definition, const TableReader& host,
                      const std::vector<std::string>& known);

}  // namespace warptune::kernel_templates::definition
