#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates {

/// Names of the shipped kernels, sorted: the `.cu` and `.toml` files in `share_folder()/kernels`.
std::vector<std::string> shipped_kernels();

/// Whether a kernel is named by its path: it has a slash, or ends in `.cu` or `.toml`.
bool is_kernel_path(const std::string& name_or_path);

/// A shipped name, or a path to a `.cu` or `.toml` (anything with a slash or such an ending). Throws
/// `base::InputError` with the nearest shipped names when there is none. `granted` as of
/// `load_kernel_definition`.
KernelDefinition load_kernel(const std::string& name_or_path,
                             const std::vector<std::filesystem::path>& granted = {});

}  // namespace warptune::kernel_templates
