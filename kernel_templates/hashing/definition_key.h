#pragma once

#include <string>

#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::hashing {

/// `KernelDefinition::hash`. Reads the sources.
std::string hash_of(const KernelDefinition& definition);

/// `KernelDefinition::form`. Reads no source.
std::string form_of(const KernelDefinition& definition);

}  // namespace warptune::kernel_templates::hashing
