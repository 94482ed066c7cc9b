#pragma once

#include <string>

#include "kernel_templates/kernel_definition.h"

namespace warptune::tuner::kernel_pages {

/// Writes a page in Markdown about a kernel from its definition. The page says what the kernel computes. It
/// lists problem, parameters, constraints, default, launches, arguments, check, work and the library for
/// comparison. The same definition gives the same text on every machine.
std::string kernel_page(const kernel_templates::KernelDefinition& definition);

}  // namespace warptune::tuner::kernel_pages
