#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/fleet_store.h"
#include "tuner/commands/options.h"

namespace warptune::tuner::commands::campaigns {

/// What most actions of `campaign` take.
struct CampaignOptions {
  std::string store;  ///< The address.
  std::string name;   ///< The campaign, or another thing that the action's argument names.
  bool json = false;
};

/// Declares `--store` and the common options. `argument` is the action's one argument; empty: it has none.
Options declare_action(std::string_view action, const std::string& argument, const std::string& summary);
/// Reads them. `argument` is as in `declare_action`.
CampaignOptions read_action(const Options& options, const std::string& argument);
/// Parses the arguments of an action that has no further options. std::nullopt after `--help`.
std::optional<CampaignOptions> parse_action(Options options, const std::vector<std::string>& arguments,
                                            const std::string& argument);

/// Opens the store for reading.
std::unique_ptr<fleet::FleetStore> open_for_reading(const CampaignOptions& options);
/// Opens the store to change it.
std::unique_ptr<fleet::FleetStore> open_for_changes(const CampaignOptions& options);

}  // namespace warptune::tuner::commands::campaigns
