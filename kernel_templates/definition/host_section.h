#pragma once

#include <string>
#include <vector>

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Grid, block and so on of a table that launches; its entry is the caller's.
Launch read_launch(const TableReader& table);
/// What read_launch takes.
std::vector<std::string> launch_keys();

/// Reads `[host]` into the definition, whose arguments are known. Where `[kernel]` names no entry, the first
/// kernel launched is it.
void read_host_program(const TableReader& host, KernelDefinition& definition);

/// The text of a buffer's `memory`: one of its names, or an expression.
model::Expression read_memory(const TableReader& argument);

/// Every name of the host program must be known: `known` are the parameters, problem entries and device
/// attributes. Placeholders of entries too.
void check_host_names(const KernelDefinition& definition, const TableReader& host,
                      const std::vector<std::string>& known);

}  // namespace warptune::kernel_templates::definition
