#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/read_scope.h"
#include "model/measurement.h"
#include "model/objective.h"
#include "model/value.h"

namespace warptune::tuner::commands {

/// The arguments of `warptune query`, parsed and checked.
struct QueryOptions {
  std::string kernel;  ///< The name of a shipped kernel or the path of a definition.
  model::NamedValues sizes;
  kernel_templates::Permissions permissions;
  std::optional<std::string> gpu;  ///< A name or key for `gpus::choose_gpu`.
  model::CacheState cache = model::CacheState::kCold;
  model::Objective objective;
  bool strict = false;
  std::filesystem::path database;
  bool json = false;
};

/// Returns `std::nullopt` after printing the help that the arguments ask for. Throws `base::InputError` for
/// arguments that are not valid.
std::optional<QueryOptions> parse_query(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
