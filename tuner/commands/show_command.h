#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warptune::tuner::commands {

/// What `warptune show` is asked for.
struct ShowOptions {
  std::optional<std::int64_t> session;  ///< Nothing: a list of all.
  std::size_t top = 10;                 ///< How many of the fastest configurations.
  std::filesystem::path database;
  bool json = false;
};

/// Nothing where help was asked for and printed. Throws `base::InputError`.
std::optional<ShowOptions> parse_show(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
