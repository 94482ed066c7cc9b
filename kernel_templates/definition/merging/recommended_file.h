#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/read_scope.h"

namespace warptune::kernel_templates::definition::merging {

/// The limit of a file of recommendations.
inline constexpr std::uint64_t kMaxRecommendedFileBytes = std::uint64_t{1} << 20;

/// Replaces the key `recommended` of `[kernel]` by the `[[recommended]]` tables of the file that it names.
/// `description` is what the definition at `path` itself has, without the definition that it extends. If
/// there is no such file beside the definition, a shipped file of that name counts. The tables keep the
/// positions that they have in their file. Returns the path of the file, if there is one. Throws
/// `base::InputError` in these cases:
/// * The description also has `[[recommended]]` tables.
/// * The file is missing, larger than `kMaxRecommendedFileBytes`, or may not be read.
/// * The file is malformed TOML, has no `[[recommended]]` tables, or has anything else.
std::optional<std::filesystem::path> insert_recommended_file(toml::table& description,
                                                             const std::filesystem::path& path,
                                                             const ReadScope& scope);

}  // namespace warptune::kernel_templates::definition::merging
