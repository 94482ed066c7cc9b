#pragma once

#include <cstddef>
#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates {

/// Generates the initial contents of a buffer, `argument.bytes()` bytes. The same seed gives the same bytes
/// on every machine, except that normal variates depend on the C library's log and cos. `run_seed` is
/// combined with the argument's own seed. `position` is the argument's index; it is the seed if the argument
/// has none. Uses all cores. Throws `base::InputError` if a file is missing, has another type or has too few
/// elements.
std::vector<std::byte> generate_argument(const ResolvedArgument& argument, std::size_t position,
                                         std::uint64_t run_seed);

/// Whether the contents depend on `run_seed`.
bool depends_on_seed(const Initialiser& init);

/// The value of a scalar in the argument's type, at most 8 bytes.
std::vector<std::byte> scalar_bytes(const ResolvedArgument& argument);

/// Converts one element to double, for messages and for checks on the host.
double element_as_double(DataType type, const std::byte* element);

}  // namespace warptune::kernel_templates
