#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates {

/// The names of the shipped kernels, sorted: the definitions in `share_folder()/kernels`.
std::vector<std::string> shipped_kernels();

/// Whether a file in a folder of kernels is a definition: a `.cu` or `.toml`, but no `*.recommended.toml`.
/// Those are the files that `[kernel] recommended` of shipped kernels names.
bool is_definition_file(const std::filesystem::path& path);

/// Whether the text is a path to a kernel: it has a slash, or it ends in `.cu` or `.toml`.
bool is_kernel_path(const std::string& name_or_path);

/// Loads a shipped kernel by its name, or any kernel by its path (`is_kernel_path`). `load_kernel_definition`
/// explains `permissions`. Throws `base::InputError` with the nearest shipped names if the kernel does not
/// exist.
KernelDefinition load_kernel(const std::string& name_or_path, const Permissions& permissions = {});

}  // namespace warptune::kernel_templates
