#pragma once

#include <span>

#include "kernel_templates/kernel_definition.h"
#include "library/include/warptune.h"
#include "model/value.h"

namespace warptune::library {

/// Returns `values`, which are in the order of the definition's problem entries, with the names of the
/// entries. Entries with the type WARPTUNE_VALUE_USUAL are left out. Throws `base::InputError` for too many
/// values, and for a value whose type is unknown.
model::NamedValues problem_of(const kernel_templates::KernelDefinition& definition,
                              std::span<const warptune_value> values);

}  // namespace warptune::library
