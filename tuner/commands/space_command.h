#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/value.h"

namespace warptune::tuner::commands {

/// What `warptune space` is asked for: at most one of `sample`, `list` and `check`; with none of them the
/// space is described.
struct SpaceOptions {
  std::string kernel;  ///< A shipped name or the path of a definition.
  model::NamedValues sizes;
  std::vector<std::filesystem::path> readable_folders;  ///< What the definition may read beyond its own.
  std::optional<std::uint64_t> sample;                  ///< How many configurations drawn at random.
  std::optional<std::uint64_t> list;                    ///< How many of the first.
  std::optional<model::NamedValues> check;              ///< One configuration.
  std::uint64_t seed = 1;                               ///< Of `sample`.
  bool json = false;
};

/// Nothing where help was asked for and printed. Throws `base::InputError`.
std::optional<SpaceOptions> parse_space(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
