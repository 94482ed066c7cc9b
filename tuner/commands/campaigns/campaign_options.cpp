#include "tuner/commands/campaigns/campaign_options.h"

#include <fmt/format.h>

#include "tuner/commands/option_groups.h"

namespace warptune::tuner::commands::campaigns {

Options declare_action(std::string_view action, const std::string& argument, const std::string& summary) {
  Options options(fmt::format("campaign {}{}{}", action, argument.empty() ? "" : " ", argument), summary);
  if (!argument.empty()) options.positional(argument, 1, 1);
  declare_store(options).common();
  return options;
}

CampaignOptions read_action(const Options& options, const std::string& argument) {
  CampaignOptions read;
  if (!argument.empty()) read.name = options.required(argument);
  read.store = read_store(options);
  read.json = options.json();
  return read;
}

std::optional<CampaignOptions> parse_action(Options options, const std::vector<std::string>& arguments,
                                            const std::string& argument) {
  if (!options.parse(arguments)) return std::nullopt;
  return read_action(options, argument);
}

std::unique_ptr<fleet::FleetStore> open_for_reading(const CampaignOptions& options) {
  return fleet::open_store(options.store, fleet::Access::kReader);
}

std::unique_ptr<fleet::FleetStore> open_for_changes(const CampaignOptions& options) {
  return fleet::open_store(options.store, fleet::Access::kAdministrator);
}

}  // namespace warptune::tuner::commands::campaigns
