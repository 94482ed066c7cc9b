#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/replay/strategy_replay.h"

namespace warptune::tuner::commands {

/// The arguments of `warptune replay`, parsed and checked.
struct ReplayOptions {
  std::vector<std::string> recordings;  ///< Paths; at least one.
  replay::ReplayPlan plan;  ///< Its source is not read yet. Without strategies, only traces are scored.
  std::optional<std::filesystem::path> source;
  std::vector<std::string> traces;  ///< Files with runs of other tuners.
  std::optional<std::filesystem::path> traces_output;
  std::optional<std::filesystem::path> csv_output;
  std::optional<std::filesystem::path> plot_output;
  bool json = false;
};

/// Returns `std::nullopt` after printing the help that the arguments ask for. Throws `base::InputError` for
/// arguments that are not valid.
std::optional<ReplayOptions> parse_replay(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
