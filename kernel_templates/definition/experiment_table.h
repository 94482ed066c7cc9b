// A [[table]] of an experiment: its rows, sweeps and columns.
#pragma once

#include <filesystem>

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/experiment.h"

namespace warptune::kernel_templates::definition {

/// `path` is the experiment's file; its folder may have kernels. Throws `base::InputError` at a key that is
/// missing or has another type.
ExperimentTable table_of(const TableReader& reader, const std::filesystem::path& path);

}  // namespace warptune::kernel_templates::definition
