#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/fleet_store.h"
#include "tuner/commands/campaigns/campaign_action.h"
#include "tuner/commands/campaigns/campaign_options.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/campaigns/campaign_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::campaigns {

namespace {

Options declare_init() {
  Options options = declare_action(
      "init", "", "Makes a store of campaigns, or brings the one that is there to the form of this version.");
  return std::move(options.example("campaign init --store spool:/shared/warptune",
                                   "Makes a store in a folder that all machines share."));
}

std::optional<CampaignOptions> parse_init(const std::vector<std::string>& arguments) {
  return parse_action(declare_init(), arguments, "");
}

int init_store(const CampaignOptions& options) {
  const std::string address = fleet::make_store(options.store)->address();
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::campaigns::campaign_init_json(address)));
  } else {
    text_output::print_text("{} is ready; warptune campaign add FILE adds a campaign\n", address);
  }
  return 0;
}

int run_init(const std::vector<std::string>& arguments) {
  const std::optional<CampaignOptions> options = parse_init(arguments);
  return options ? init_store(*options) : 0;
}

}  // namespace

Command init_action() {
  return {"init", "make a store, or bring it to the form of this version", run_init,
          [] { return declare_init().description(); }};
}

}  // namespace warptune::tuner::commands::campaigns
