#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/replay/strategy_replay.h"

namespace warptune::tuner::commands {

/// What `warptune replay` is asked for.
struct ReplayOptions {
  std::vector<std::string> recordings;  ///< Paths; at least one.
  replay::ReplayPlan plan;              ///< Its source is not read yet. No strategies: only traces.
  std::optional<std::filesystem::path> source;
  std::vector<std::string> traces;  ///< Files of other tuners' runs.
  std::optional<std::filesystem::path> traces_output;
  std::optional<std::filesystem::path> csv_output;
  std::optional<std::filesystem::path> plot_output;
  bool json = false;
};

/// Nothing where help was asked for and printed. Throws `base::InputError`.
std::optional<ReplayOptions> parse_replay(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
