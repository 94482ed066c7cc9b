#pragma once

#include <filesystem>
#include <vector>

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/read_scope.h"

namespace warptune::kernel_templates::definition::merging {

/// All that is written in a definition, and in the definitions that it extends.
struct Description {
  toml::table tables;  ///< Those of the definition, merged over those of the definition that it extends.
  /// The files whose `[[recommended]]` tables were read: of the definition first.
  std::vector<std::filesystem::path> recommended_files;
};

/// Reads the definition at `path` with all files that have tables of it. Tables are merged key by key; any
/// other value replaces the one of the extended definition. All keep the positions that they have in their
/// files. Throws `base::InputError` if a file is missing, malformed or not allowed.
Description merged_description(const std::filesystem::path& path, const ReadScope& scope);

}  // namespace warptune::kernel_templates::definition::merging
