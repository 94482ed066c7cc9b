#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::resolution {

/// The value of an expression as an integer. The error is the reason and quotes the expression.
base::Result<std::int64_t> integer_of(const model::Expression& expression, const model::NamedValues& scope);

/// The value of an expression as a number. Throws `base::InputError` at the expression if it has no value or
/// its value is text.
double real_of(const model::Expression& expression, const model::NamedValues& scope);

/// The place of an expression's value among `names`. Fails if it is not one of them. `what` begins the error.
base::Result<std::size_t> index_of_choice(const model::Expression& expression,
                                          const std::vector<std::string>& names, const std::string& what,
                                          const model::NamedValues& scope);

/// Evaluates the type, count, width or scalar of an argument over `scope`. Fails, with the reason as its
/// error, if a count is not positive, overflows, or has an incomplete row, or if a scalar's type cannot
/// represent its value.
base::Result<ResolvedArgument> resolve_argument(const Argument& argument, const model::NamedValues& problem,
                                                const model::NamedValues& scope);

/// Evaluates the type, shape and box of a tensor map. `scope` has the configuration. If the map's condition
/// does not hold, the result is an empty map. Fails, with the reason as its error, if a number exceeds the
/// driver's limits, or if the map exceeds its buffer.
base::Result<ResolvedArgument> resolve_tensor_map(const Argument& argument,
                                                  const KernelDefinition& definition,
                                                  const model::NamedValues& problem,
                                                  const model::NamedValues& scope);

/// Evaluates the type and the extents of a texture. `scope` has the configuration. Fails, with the reason as
/// its error, if textures do not support such elements, if a number exceeds the GPU's limits, or if the
/// texture exceeds its buffer.
base::Result<ResolvedArgument> resolve_texture(const Argument& argument, const KernelDefinition& definition,
                                               const model::NamedValues& problem,
                                               const model::NamedValues& scope);

}  // namespace warptune::kernel_templates::resolution
