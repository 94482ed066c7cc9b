#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/campaign_status.h"
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

Options declare_status() {
  Options options =
      declare_action("status", "NAME",
                     "Says how far a campaign is: its tasks, its rates, when it is expected to end, and what "
                     "has failed and why. "
                     "Also shows the nodes, and says what is missing for tasks that no node takes.");
  return std::move(options.example("campaign status nightly", "Says how far the campaign nightly is."));
}

std::optional<CampaignOptions> parse_status(const std::vector<std::string>& arguments) {
  return parse_action(declare_status(), arguments, "NAME");
}

int show_status(const CampaignOptions& options) {
  const std::unique_ptr<fleet::FleetStore> store = open_for_reading(options);
  const fleet::CampaignFacts facts = fleet::read_campaign(*store, options.name);
  const fleet::CampaignStatus status = fleet::campaign_status(facts);
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::campaigns::campaign_status_json(
                                       store->address(), status, facts.campaign)));
  } else {
    text_output::print_text("{}", text_output::campaigns::campaign_status_text(status, facts.campaign));
  }
  return 0;
}

int run_status(const std::vector<std::string>& arguments) {
  const std::optional<CampaignOptions> options = parse_status(arguments);
  return options ? show_status(*options) : 0;
}

}  // namespace

Command status_action() {
  return {"status", "say how far a campaign is, and what is missing", run_status,
          [] { return declare_status().description(); }};
}

}  // namespace warptune::tuner::commands::campaigns
