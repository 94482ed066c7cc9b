#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates {

/// Something that a definition may have and that is probably a mistake.
struct DefinitionWarning {
  std::string message;
  base::SourcePosition position;
};

/// The warnings about a definition that was read:
/// * A constraint is a number. A number other than 0 always holds, so a comparison is probably missing.
/// * There is no `[check]`, or no output that it could compare. Wrong results are then not found.
std::vector<DefinitionWarning> warnings_of(const KernelDefinition& definition);

/// `file:line:column: message`.
std::string to_string(const DefinitionWarning& warning);

/// Writes the warnings to the log, each with its position.
void log_warnings_of(const KernelDefinition& definition);

/// Whether any output is compared with a reference.
bool is_checked(const KernelDefinition& definition);

}  // namespace warptune::kernel_templates
