#pragma once

#include <string>

#include "base/result.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::resolution {

/// Evaluates where the memory of a buffer is. `scope` has the configuration. Fails, with the reason as its
/// error, if the value is not one of `memory_names`.
base::Result<Memory> resolve_memory(const Argument& argument, const model::NamedValues& scope);

/// Evaluates `residency` and `advise` of a buffer in managed memory. Fails, with the reason as its error, if
/// a value is not one that the key may have.
base::Result<ManagedPages> resolve_managed_pages(const Argument& argument, const model::NamedValues& scope);

/// Evaluates an expression whose value is the name of a place. `what` begins the error.
base::Result<PagePlace> resolve_page_place(const model::Expression& expression, const std::string& what,
                                           const model::NamedValues& scope);

}  // namespace warptune::kernel_templates::resolution
