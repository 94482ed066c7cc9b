#pragma once

#include <string>
#include <vector>

#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates {

/// The names of the `__global__` functions in a source's text, each once, in order of appearance.
std::vector<std::string> kernels_in(const std::string& code);

/// Throws `base::InputError` at an entry of the definition whose name occurs nowhere in its source or in the
/// files that the source includes. The message names the kernels that exist. An entry is not checked if its
/// name is not plain (a placeholder, a namespace) or may come from a macro. It is meant for what compiles:
/// NVRTC's message about such an entry is hard to read.
void require_entries(const KernelDefinition& definition);

}  // namespace warptune::kernel_templates
