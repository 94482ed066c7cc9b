#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::definition {

/// Reads the elements of the file `argument.init.path`. A `.npy` file must have format 1.0 to 3.0, C order
/// and the argument's type; bf16 is `<u2` or `|V2`. Any other file has raw little-endian elements. Throws
/// `base::InputError` if the file is missing, has another type, or another number of elements.
std::vector<std::byte> read_data_file(const ResolvedArgument& argument);

/// Throws what `read_data_file` throws, without reading the elements.
void require_data_file_fits(const ResolvedArgument& argument);

/// The bytes of a `.npy` file of format 1.0 with one dimension. `elements` are little-endian, and their size
/// is a multiple of that of the type.
std::string npy_text(DataType type, std::string_view elements);

}  // namespace warptune::kernel_templates::definition
