#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace warptune::kernel_templates::inspection {

/// The TOML of a first definition of a kernel, for a `.toml` file beside `source`. It is made from the
/// kernel's signature: template parameters and the block become parameters, integers become sizes, and
/// buffers have as many elements as the product of the sizes. `entry` names the kernel; it may be missing if
/// the source has only one. Throws `base::InputError` in these cases:
/// * The source has no kernel, or none that is called `entry`.
/// * The source has several kernels, and `entry` is missing.
/// * The source has a description already.
/// * The kernel has no parameters.
/// * A parameter has a type that a definition cannot pass.
std::string first_definition(const std::filesystem::path& source, const std::optional<std::string>& entry);

}  // namespace warptune::kernel_templates::inspection
