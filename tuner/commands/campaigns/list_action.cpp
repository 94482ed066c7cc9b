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
#include "tuner/text_output/campaigns/campaign_report.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::campaigns {

namespace {

Options declare_list() {
  Options options = declare_action("list", "", "Lists the campaigns of a store.");
  return std::move(options.example("campaign list", "Lists the campaigns of the store in WARPTUNE_STORE."));
}

std::optional<CampaignOptions> parse_list(const std::vector<std::string>& arguments) {
  return parse_action(declare_list(), arguments, "");
}

int list_campaigns(const CampaignOptions& options) {
  const std::unique_ptr<fleet::FleetStore> store = open_for_reading(options);
  const std::vector<fleet::CampaignSummary> campaigns = store->campaigns();
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::campaigns::campaign_list_json(
                                       store->address(), campaigns)));
  } else {
    text_output::print_text("{}", text_output::campaigns::campaign_list_text(campaigns));
  }
  return 0;
}

int run_list(const std::vector<std::string>& arguments) {
  const std::optional<CampaignOptions> options = parse_list(arguments);
  return options ? list_campaigns(*options) : 0;
}

}  // namespace

Command list_action() {
  return {"list", "list the campaigns of a store", run_list, [] { return declare_list().description(); }};
}

}  // namespace warptune::tuner::commands::campaigns
