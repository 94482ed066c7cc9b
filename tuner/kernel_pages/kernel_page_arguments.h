#pragma once

#include <string>

#include "kernel_templates/kernel_definition.h"

namespace warptune::tuner::kernel_pages {

/// The section of a kernel's page that lists its arguments.
std::string argument_section(const kernel_templates::KernelDefinition& definition);

}  // namespace warptune::tuner::kernel_pages
