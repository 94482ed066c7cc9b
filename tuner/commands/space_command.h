#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/read_scope.h"
#include "model/value.h"

namespace warptune::tuner::commands {

/// The arguments of `warptune space`, parsed and checked. At most one of `sample`, `list` and `check` is
/// given. Without them the command describes the space.
struct SpaceOptions {
  std::string kernel;  ///< The name of a shipped kernel or the path of a definition.
  model::NamedValues sizes;
  kernel_templates::Permissions permissions;
  std::optional<std::uint64_t> sample;      ///< How many configurations to draw at random.
  std::optional<std::uint64_t> list;        ///< How many of the first configurations to list.
  std::optional<model::NamedValues> check;  ///< The configuration to check.
  std::uint64_t seed = 1;                   ///< The seed of `sample`.
  bool json = false;
};

/// Returns `std::nullopt` after printing the help that the arguments ask for. Throws `base::InputError` for
/// arguments that are not valid.
std::optional<SpaceOptions> parse_space(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
