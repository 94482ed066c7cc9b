#pragma once

#include <string>

#include "kernel_templates/kernel_definition.h"

namespace warptune::tuner::kernel_pages {

/// A kernel definition as a page for people, in Markdown: what it computes, its problem, parameters with
/// their constraints, default, launches, arguments, check, work and what it is compared with. The same
/// definition gives the same text on every machine.
std::string kernel_page(const kernel_templates::KernelDefinition& definition);

}  // namespace warptune::tuner::kernel_pages
