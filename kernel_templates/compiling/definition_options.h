#pragma once

#include <string>
#include <vector>

#include "kernel_templates/adapting/adapted_source.h"
#include "kernel_templates/compiling/compiler_options.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::compiling {

/// Checks the definition's compiler options for several configurations. The first has the first value of each
/// parameter. Each further one has another value of one parameter. Throws `base::InputError` at the flag as
/// `read_compiler_options` does, and for an include folder that `definition.scope` does not allow. Sets
/// `definition.flag_folders`.
void check_compiler_options(KernelDefinition& definition);

/// Checks the options of one configuration. Throws `base::InputError` for an include folder that is not in
/// `definition.flag_folders`.
void check_option_folders(const KernelDefinition& definition, const std::vector<CompilerOption>& options);

/// The position of the definition's `index`-th flag.
base::SourcePosition flag_position(const KernelDefinition& definition, std::size_t index);

/// Whether a flag has a placeholder.
bool flags_vary(const KernelDefinition& definition);

/// What the definition says about how its sources are adapted to NVRTC.
adapting::SourceSettings source_settings(const KernelDefinition& definition);

/// The options of the flags with every parameter at its first value.
std::vector<CompilerOption> first_options(const KernelDefinition& definition);

}  // namespace warptune::kernel_templates::compiling
