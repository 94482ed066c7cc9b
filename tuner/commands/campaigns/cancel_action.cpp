#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "fleet/fleet_store.h"
#include "tuner/commands/campaigns/campaign_action.h"
#include "tuner/commands/campaigns/campaign_options.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/campaigns/campaign_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::campaigns {

namespace {

Options declare_cancel() {
  Options options = declare_action("cancel", "NAME",
                                   "Cancels the tasks of a campaign that have not ended. Nodes stop their "
                                   "sessions with the next heartbeat, and publish the rows that they have.");
  return std::move(
      options.example("campaign cancel nightly", "Stops the campaign nightly. What was measured is kept."));
}

std::optional<CampaignOptions> parse_cancel(const std::vector<std::string>& arguments) {
  return parse_action(declare_cancel(), arguments, "NAME");
}

int cancel_campaign(const CampaignOptions& options) {
  const std::unique_ptr<fleet::FleetStore> store = open_for_changes(options);
  const std::uint64_t tasks = store->cancel(options.name);
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::campaigns::campaign_change_json(
                                       store->address(), "cancel", options.name, tasks)));
  } else {
    text_output::print_text("{}: {}\n", options.name,
                            tasks == 0 ? "nothing is cancelled, because all tasks have ended"
                                       : base::counted(tasks, "task") + " cancelled");
  }
  return 0;
}

int run_cancel(const std::vector<std::string>& arguments) {
  const std::optional<CampaignOptions> options = parse_cancel(arguments);
  return options ? cancel_campaign(*options) : 0;
}

}  // namespace

Command cancel_action() {
  return {"cancel", "end the tasks of a campaign that have not ended", run_cancel,
          [] { return declare_cancel().description(); }};
}

}  // namespace warptune::tuner::commands::campaigns
