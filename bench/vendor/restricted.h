#pragma once

#include <filesystem>
#include <string>

#include "bench/vendor/rows.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "model/measurement.h"

namespace warptune::bench::vendor {

/// What a row's measurements are stored as. A row that `restrict`s has a workload of its own, so that what is
/// known of the whole space neither ends nor guides the search of a part.
model::Workload workload_of(const Row& row, const kernel_templates::KernelInstance& instance);

/// Tunes the part of a kernel's space that a row asks for, as `warptune tune` does the whole. Returns a line
/// that says what was found. Throws as sessions do.
std::string tune_restricted(const Row& row, const model::GpuDescription& gpu, db::Store& store,
                            const std::string& budget, const std::filesystem::path& compile_cache);

}  // namespace warptune::bench::vendor
