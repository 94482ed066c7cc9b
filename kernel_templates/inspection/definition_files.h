#pragma once

#include <filesystem>
#include <set>

#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::inspection {

/// The files that a definition of a user needs, as absolute paths. These are the definition with those that
/// it extends and their files of recommendations, the sources with every file that they may include, and the
/// files with data. Shipped files and those of the CUDA toolkit are left out. Throws `base::InputError` if an
/// include is not allowed.
std::set<std::filesystem::path> files_of(const KernelDefinition& kernel);

}  // namespace warptune::kernel_templates::inspection
