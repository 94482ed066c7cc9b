#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/renaming.h"

namespace warptune::kernel_templates {

/// Reads a map from earlier versions of kernels to current ones (kernel_templates/renamed.toml explains the
/// format). Throws `base::InputError` with file:line:column if the file is malformed, if a version is mapped
/// twice, or if two names or values become the same.
std::vector<model::Renaming> load_renamings(const std::filesystem::path& path);

/// Reads the map of the shipped kernels. Empty if the file does not exist.
std::vector<model::Renaming> shipped_renamings();
/// Whether the map of the shipped kernels has one of these hashes as an earlier version. This is fast,
/// because it does not parse the TOML.
bool shipped_renamings_mention(const std::vector<std::string>& hashes);

}  // namespace warptune::kernel_templates
