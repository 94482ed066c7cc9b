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

/// Evaluates the width of a buffer, if it has one, and stores it in `resolved`, whose count is known. `scope`
/// has the problem. Returns why the width is impossible, or std::nullopt.
std::optional<std::string> resolve_width(const Argument& argument, const model::NamedValues& scope,
                                         ResolvedArgument& resolved);

/// Evaluates the pitch of a buffer, if it has one, and stores it in `resolved`, whose width is known. `scope`
/// has the configuration. Returns why the pitch is impossible, or std::nullopt.
std::optional<std::string> resolve_pitch(const Argument& argument, const model::NamedValues& scope,
                                         ResolvedArgument& resolved);

/// An argument whose rows have another pitch in other configurations, or null. Programs that give buffers to
/// a tuned kernel cannot know such a pitch.
const Argument* argument_with_tuned_pitch(const KernelDefinition& definition);

}  // namespace warptune::kernel_templates::resolution
