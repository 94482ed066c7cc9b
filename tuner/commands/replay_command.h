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
  replay::ReplayPlan plan;  ///< Without strategies, only traces are scored. `plan.source` is still null.
  std::optional<std::filesystem::path> source;  ///< The recording to which `plan.source` will point.
  std::vector<std::string> traces;              ///< Paths of files with runs of other tuners.
  std::optional<std::filesystem::path> traces_output;
  std::optional<std::filesystem::path> csv_output;
  std::optional<std::filesystem::path> plot_output;
  bool json = false;
};

/// Returns `std::nullopt` after printing the help that the arguments ask for. Throws `base::InputError` for
/// arguments that are not valid.
std::optional<ReplayOptions> parse_replay(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
