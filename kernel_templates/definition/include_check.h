#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Follows every `#include` and `__has_include` as NVRTC would, in the definition's sources and in the CUDA
/// code of `[check]`. It stops at the toolkit's own headers. `#if` conditions are not evaluated, so both
/// branches count.
///
/// Throws `base::InputError` with line and column at an include of a file that `definition.scope` does not
/// allow. Also throws if a macro names the included file, and the macro's text is not known. The text is
/// known for parameters, and for a `#define` of a name in quotes or angle brackets.
void check_includes(const KernelDefinition& definition);

/// The files that `check_includes` finds, with the sources, as absolute paths: every file that NVRTC may read
/// or ask for, except the shipped ones and those of the toolkit. Throws as `check_includes` does.
std::set<std::filesystem::path> reachable_files(const KernelDefinition& definition);

/// The same check for files that a source reaches through the toolkit's headers. This happens if a file in
/// the source's folder has the name of a file that those headers include.
void check_included_files(const KernelDefinition& definition, const std::filesystem::path& source,
                          const std::vector<compiling::IncludedFile>& files);

}  // namespace warptune::kernel_templates::definition
