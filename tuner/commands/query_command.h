#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/objective.h"
#include "model/value.h"

namespace warptune::tuner::commands {

/// What `warptune query` is asked for.
struct QueryOptions {
  std::string kernel;  ///< A shipped name or the path of a definition.
  model::NamedValues sizes;
  std::vector<std::filesystem::path> readable_folders;  ///< What the definition may read beyond its own.
  std::optional<std::string> gpu;                       ///< As `choose_gpu` takes it.
  model::CacheState cache = model::CacheState::kCold;
  model::Objective objective;
  bool strict = false;
  std::filesystem::path database;
  bool json = false;
};

/// Nothing where help was asked for and printed. Throws `base::InputError`.
std::optional<QueryOptions> parse_query(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
