#pragma once

#include <string>
#include <vector>

#include "kernel_templates/compiling/compiler_options.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::compiling {

/// Checks the definition's compiler options: with every parameter at its first value, then each at each of
/// its values. Throws `base::InputError` at the flag as `read_compiler_options` does, and for an include
/// folder that `definition.scope` does not allow. Sets `definition.flag_folders`.
void check_compiler_options(KernelDefinition& definition);

/// Checks the words that the flags are for one configuration. Throws likewise, and for an include folder that
/// is none of `definition.flag_folders`.
void check_option_words(const KernelDefinition& definition, const std::vector<OptionWord>& words);

/// Where the definition's `index`-th flag stands.
base::SourcePosition flag_position(const KernelDefinition& definition, std::size_t index);

/// Whether a flag has a placeholder.
bool flags_vary(const KernelDefinition& definition);

/// What the flags say with every parameter at its first value.
std::vector<CompilerOption> first_options(const KernelDefinition& definition);

}  // namespace warptune::kernel_templates::compiling
