#pragma once

#include <cstddef>
#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates {

/// The first contents of a buffer: `argument.bytes()` bytes, the same on every machine for the same seed
/// (except that normal variates follow the C library's log and cos). `run_seed` is mixed with the argument's
/// own seed; `position` is its place. Uses all cores. Throws `base::InputError` when a file is missing, has
/// another type or too few elements.
std::vector<std::byte> generate_argument(const ResolvedArgument& argument, std::size_t position,
                                         std::uint64_t run_seed);

/// Whether another `run_seed` gives other contents.
bool depends_on_seed(const ResolvedArgument& argument);

/// The 8 (or fewer) bytes of a scalar in the argument's type.
std::vector<std::byte> scalar_bytes(const ResolvedArgument& argument);

/// One element as a double, for messages and host-side checks.
double element_as_double(DataType type, const std::byte* element);

}  // namespace warptune::kernel_templates
