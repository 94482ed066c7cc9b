// Imports files of other tuners, and recordings, into a database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/read_scope.h"
#include "model/measurement.h"

namespace warptune::tuner::importing {

/// What to import. The optional members say what the files do not say.
struct ImportRequest {
  std::vector<std::filesystem::path> files;
  std::filesystem::path database;
  std::optional<std::string> kernel;  ///< The name of a shipped kernel, or the path of a definition.
  model::NamedValues sizes;
  std::optional<std::string> gpu;  ///< As `gpus::wanted_gpu` reads it.
  std::optional<model::CacheState> cache;
  std::optional<std::string> unit;  ///< The unit of times: `ms`, `us`, `ns` or `s`.
  kernel_templates::Permissions permissions;

  /// Whether it names a workload or a part of one.
  bool names_workload() const { return kernel || gpu || cache || !sizes.empty(); }
};

/// What was imported of one workload of a file.
struct ImportedRows {
  std::filesystem::path file;
  std::string format;
  model::Workload workload;
  std::int64_t session_id = 0;  ///< 0: nothing was added.
  std::uint64_t added = 0;
  std::uint64_t known = 0;           ///< Rows that had been imported before.
  std::uint64_t unknown_values = 0;  ///< Rows that were left out; see `FittedRows`.
  std::uint64_t broken = 0;
  std::vector<std::string> ignored_parameters;
};

/// Reads all files, then writes their rows in one transaction. Makes the database if it does not exist.
/// Throws `base::InputError` if a file cannot be read, if neither it nor the request says something that is
/// needed, or if both say it. Nothing is written then.
std::vector<ImportedRows> import_files(const ImportRequest& request);

}  // namespace warptune::tuner::importing
