#pragma once

#include "base/result.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::resolution {

/// An expression's value as an integer, or the reason with its text.
base::Result<std::int64_t> integer_of(const model::Expression& expression, const model::NamedValues& scope);

/// An expression's value as a number. Throws `base::InputError` at its place where it has none or is text.
double real_of(const model::Expression& expression, const model::NamedValues& scope);

/// Type, count or scalar of an argument over `scope`. The reason when a count is not positive or overflows,
/// or a scalar's type cannot hold its value.
base::Result<ResolvedArgument> resolve_argument(const Argument& argument, const model::NamedValues& problem,
                                                const model::NamedValues& scope);

/// Where an argument lies, over `scope`, which holds the configuration.
base::Result<Memory> resolve_memory(const Argument& argument, const model::NamedValues& scope);

/// Type, shape and box of a tensor map over `scope`, which holds the configuration; the reason when one is
/// out of the driver's limits or the map reaches past its buffer. Where its condition does not hold, an empty
/// one.
base::Result<ResolvedArgument> resolve_tensor_map(const Argument& argument,
                                                  const KernelDefinition& definition,
                                                  const model::NamedValues& problem,
                                                  const model::NamedValues& scope);

/// Type and extents of a texture over `scope`, which holds the configuration; the reason when textures have
/// no such elements, one is out of the GPU's limits or it reaches past its buffer.
base::Result<ResolvedArgument> resolve_texture(const Argument& argument, const KernelDefinition& definition,
                                               const model::NamedValues& problem,
                                               const model::NamedValues& scope);

}  // namespace warptune::kernel_templates::resolution
