#pragma once

#include <span>

#include "kernel_templates/kernel_definition.h"
#include "library/include/warptune.h"
#include "model/value.h"

namespace warptune::library {

/// The entries of a problem whose values a program has given, in the order of the definition. Throws
/// `base::InputError` for too many values, and for one whose type is unknown.
model::NamedValues problem_of(const kernel_templates::KernelDefinition& definition,
                              std::span<const warptune_value> values);

}  // namespace warptune::library
