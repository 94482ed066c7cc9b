#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warptune::tuner::commands {

/// The arguments of `warptune show`, parsed and checked.
struct ShowOptions {
  std::optional<std::int64_t> session;  ///< No value: list all sessions.
  /// How many of the fastest configurations to show. No value: ten as text, and all rows as JSON.
  std::optional<std::size_t> top;
  std::filesystem::path database;
  bool json = false;
};

/// Returns `std::nullopt` after printing the help that the arguments ask for. Throws `base::InputError` for
/// arguments that are not valid.
std::optional<ShowOptions> parse_show(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
