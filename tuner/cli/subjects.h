#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "tuner/cli/options.h"

namespace warptune::tuner::cli {

/// `--db`, else the usual place.
std::filesystem::path database_path(const Options& options);

/// The roofs that a database holds of a GPU; none where there is no database.
std::vector<search::RoofReading> stored_roofs(const std::filesystem::path& database,
                                              const search::GpuDescription& gpu);

/// `--compile-cache`, else the usual folder; empty for `none`.
std::filesystem::path compile_cache_of(const Options& options);

/// `--cache`. Throws `base::InputError` when it is neither cold nor warm.
search::CacheState cache_state_of(const Options& options);

/// The GPU that `--gpu` names (part of a marketing name, any case, or a key) among those the database knows;
/// without it the first GPU of this machine, else the newest session's. `origin` says which in words. Throws
/// `base::InputError` when a name fits none or several.
struct ChosenGpu {
  search::GpuDescription gpu;
  std::string origin;
};
ChosenGpu choose_gpu(const std::optional<std::string>& wanted, const db::Store& store);

/// Whether the database has measurements of the kernel, but of another version of its source.
bool knows_other_source(const db::Store& store, const kernel_templates::KernelDefinition& definition);

/// Whether a configuration measured elsewhere can run for `instance`: constraints hold, threads, registers
/// and shared memory fit.
bool is_valid_for(const kernel_templates::KernelInstance& instance, const search::NamedValues& configuration,
                  const search::Measurement& evidence);

/// Recordings shipped for a kernel, sorted by name: `share_folder()/recordings/NAME-*.wtrec.zst`.
std::vector<std::filesystem::path> shipped_recordings(const std::string& kernel);

}  // namespace warptune::tuner::cli
