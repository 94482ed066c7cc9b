#pragma once

#include <filesystem>
#include <string>

#include "bench/vendor/rows.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "model/measurement.h"

namespace warptune::bench::vendor {

/// The workload under which a row's measurements are stored. A row with `restrict` has a separate workload.
/// Otherwise, results of the whole space would end or guide the search of the restricted part.
model::Workload workload_of(const Row& row, const kernel_templates::KernelInstance& instance);

/// Tunes the part of a kernel's space that a row selects, as `warptune tune` tunes a whole space. Returns a
/// line with the result. Throws as sessions do.
std::string tune_restricted(const Row& row, const model::GpuDescription& gpu, db::Store& store,
                            const std::string& budget, const std::filesystem::path& compile_cache);

}  // namespace warptune::bench::vendor
