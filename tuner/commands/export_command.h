#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/read_scope.h"
#include "model/measurement.h"
#include "model/outputs/reproducibility.h"
#include "tuner/exporting/kernel_export.h"
#include "tuner/querying/portable_places.h"

namespace warptune::tuner::commands {

/// The arguments of `warptune export`, parsed and checked.
struct ExportOptions {
  std::vector<std::string> kernels;  ///< Names of shipped kernels or paths of definitions; at least one.
  kernel_templates::Permissions permissions;
  const exporting::ExportFormat* format = nullptr;
  model::CacheState cache = model::CacheState::kCold;
  std::optional<std::filesystem::path> check;   ///< A file to compare with what would be written.
  std::optional<std::filesystem::path> output;  ///< No value: standard output.
  std::filesystem::path database;
  bool replayed = false;  ///< Export winners that were replayed from a recording, too.
  bool imported = false;  ///< Export winners that were imported from a file, too.
  std::optional<querying::PortableRequest> portable;  ///< Export one configuration for several GPUs.
  /// What the outputs of the exported configurations must be known to be.
  std::optional<model::outputs::Reproducibility> reproducible;
  std::optional<std::string> gpu{};  ///< The GPU of the covers, if the format writes covers.
  std::string command;               ///< The command line without `--check` and `-o`, to make the same text.
};

/// Returns `std::nullopt` after printing the help that the arguments ask for. Throws `base::InputError` for
/// arguments that are not valid.
std::optional<ExportOptions> parse_export(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
