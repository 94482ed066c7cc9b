// The problem that is asked for: a definition's entries with what the command line gave in their place.
#pragma once

#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::resolution {

/// The entries of `[problem]`, each with the value that `overrides` has of it. Throws `base::InputError` on
/// an unknown entry, a value of the wrong type, or one outside `[problem_values]`.
model::NamedValues resolve_problem(const KernelDefinition& definition, const model::NamedValues& overrides);

}  // namespace warptune::kernel_templates::resolution
