#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "search/renaming.h"

namespace warptune::kernel_templates {

/// Reads a map of earlier versions' names (kernel_templates/renamed.toml says its form). Throws
/// `base::InputError` with file:line:column on anything malformed, on a version that is mapped twice and on
/// names or values that two others become.
std::vector<search::Renaming> load_renamings(const std::filesystem::path& path);

/// That of the shipped kernels, read anew. Empty where there is no such file.
std::vector<search::Renaming> shipped_renamings();
/// Whether the map of the shipped kernels has one of these hashes as that of an earlier version: costs next
/// to nothing, for it reads no TOML.
bool shipped_renamings_mention(const std::vector<std::string>& hashes);

}  // namespace warptune::kernel_templates
