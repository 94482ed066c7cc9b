#pragma once

#include "kernel_templates/detail/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::detail {

/// Reads every section of a definition but its place and hash. Form only: names are checked by `check_names`.
KernelDefinition read_sections(const TableReader& root, const std::filesystem::path& path);

/// Every variable of every expression and placeholder must be a problem entry, a parameter where those are
/// known, or a device attribute; types and outputs that arguments and checks name must exist. Throws
/// `base::InputError` at the place, with the nearest names. `root` is what `definition` was read from.
void check_names(const KernelDefinition& definition, const TableReader& root);

}  // namespace warptune::kernel_templates::detail
