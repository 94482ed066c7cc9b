// Combines the problem of a definition with the sizes that the user gives.
#pragma once

#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::resolution {

/// Returns the entries of `[problem]`, with values from `overrides` where it has some. Throws
/// `base::InputError` for an unknown entry, a value of the wrong type, or one that is not in
/// `[problem_values]`.
model::NamedValues resolve_problem(const KernelDefinition& definition, const model::NamedValues& overrides);

}  // namespace warptune::kernel_templates::resolution
