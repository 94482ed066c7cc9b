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

Options declare_retry() {
  Options options = declare_action("retry", "NAME",
                                   "Opens the tasks of a campaign again that are failed, quarantined or "
                                   "cancelled, and those that are done but have a damaged batch of rows. "
                                   "Earlier losses no longer count.");
  return std::move(options.example("campaign retry nightly", "Lets nodes run again what has failed."));
}

std::optional<CampaignOptions> parse_retry(const std::vector<std::string>& arguments) {
  return parse_action(declare_retry(), arguments, "NAME");
}

int retry_campaign(const CampaignOptions& options) {
  const std::unique_ptr<fleet::FleetStore> store = open_for_changes(options);
  const std::uint64_t tasks = store->retry(options.name);
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::campaigns::campaign_change_json(
                                       store->address(), "retry", options.name, tasks)));
  } else {
    text_output::print_text("{}: {}\n", options.name,
                            tasks == 0 ? "nothing is opened again, because no task is failed, quarantined or "
                                         "cancelled, or done with a damaged batch"
                                       : base::counted(tasks, "task") + " open again");
  }
  return 0;
}

int run_retry(const std::vector<std::string>& arguments) {
  const std::optional<CampaignOptions> options = parse_retry(arguments);
  return options ? retry_campaign(*options) : 0;
}

}  // namespace

Command retry_action() {
  return {"retry", "open failed, quarantined, cancelled and damaged tasks again", run_retry,
          [] { return declare_retry().description(); }};
}

}  // namespace warptune::tuner::commands::campaigns
