#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "search/renaming.h"

namespace warptune::kernel_templates {

/// Reads a map of earlier versions' names (kernel_templates/renamed.toml says its form). Throws
/// `base::InputError` with file:line:column on anything malformed, on a version that is mapped twice and on
/// names or values that two others become.
std::vector<search::Renaming> load_renamings(const std::filesystem::path& path);

/// That of the shipped kernels, read when first asked for. Empty where there is no such file.
const std::vector<search::Renaming>& shipped_renamings();

/// The renaming of the version with this hash, or null.
const search::Renaming* find_renaming(const std::vector<search::Renaming>& renamings, std::string_view hash);

}  // namespace warptune::kernel_templates
