#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "db/header_export.h"
#include "model/measurement.h"

namespace warptune::tuner::commands {

/// What `warptune export` is asked for.
struct ExportOptions {
  std::vector<std::string> kernels;  ///< Shipped names or paths of definitions; at least one.
  std::vector<std::filesystem::path> readable_folders;  ///< What they may read beyond their own.
  const db::ExportFormat* format = nullptr;
  model::CacheState cache = model::CacheState::kCold;
  std::optional<std::filesystem::path> check;   ///< Is compared with what would be written.
  std::optional<std::filesystem::path> output;  ///< Nothing: standard output.
  std::filesystem::path database;
};

/// Nothing where help was asked for and printed. Throws `base::InputError`.
std::optional<ExportOptions> parse_export(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
