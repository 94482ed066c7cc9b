#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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

/// Generates the same contents one part after another, and calls `take` with the offset in bytes and the
/// bytes of each. Contents of gigabytes then take tens of megabytes of the host's memory. Before the first
/// call, it throws what `generate_argument` throws for a file. A part that cannot be computed throws
/// `base::InputError` after the calls for earlier ones.
void generate_argument_in_parts(
    const ResolvedArgument& argument, std::size_t position, std::uint64_t run_seed,
    const std::function<void(std::size_t offset, std::span<const std::byte> part)>& take);

/// Whether the contents depend on `run_seed`.
bool depends_on_seed(const Initialiser& init);

/// The value of a scalar in the argument's type, at most 8 bytes.
std::vector<std::byte> scalar_bytes(const ResolvedArgument& argument);

/// Converts one element to double, for messages and for checks on the host.
double element_as_double(DataType type, const std::byte* element);

}  // namespace warptune::kernel_templates
