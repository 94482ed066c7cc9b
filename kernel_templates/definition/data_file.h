#pragma once

#include <cstddef>
#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::definition {

/// The elements of `argument.init.path`: a `.npy` file (format 1.0 to 3.0, C order, the argument's type; bf16
/// as `<u2` or `|V2`), else raw little-endian elements. Throws `base::InputError` when missing, of another
/// type, or with another number of elements.
std::vector<std::byte> read_data_file(const ResolvedArgument& argument);

}  // namespace warptune::kernel_templates::definition
