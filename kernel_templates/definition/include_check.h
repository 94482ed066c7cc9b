#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Follows every `#include` and `__has_include` of the definition's sources and of its check's expressions as
/// NVRTC would, up to the toolkit's own headers. Throws `base::InputError` at the line and column of one that
/// leads to a file that `definition.scope` does not allow, and of one by a macro whose text cannot be known:
/// macros may be a parameter, or `#define` a name in quotes or angle brackets. Conditions are not evaluated.
void check_includes(const KernelDefinition& definition);

/// The same of files that a source reaches by way of the toolkit's headers, where a file beside the source
/// has the name of one that they include.
void check_included_files(const KernelDefinition& definition, const std::filesystem::path& source,
                          const std::vector<compiling::IncludedFile>& files);

}  // namespace warptune::kernel_templates::definition
