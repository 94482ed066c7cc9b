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

struct RemoveOptions {
  CampaignOptions common;
  bool force = false;
};

Options declare_remove() {
  Options options =
      declare_action("remove", "NAME",
                     "Removes a campaign from its store, with its tasks and rows. Databases that "
                     "have its rows keep them. Snapshots of the store lose them.");
  options.flag("force", "remove it although tasks are open or run; nodes end their sessions");
  return std::move(
      options.example("campaign remove nightly", "Removes the campaign nightly, which has ended.")
          .example("campaign remove nightly --force", "Removes it although it runs."));
}

std::optional<RemoveOptions> parse_remove(const std::vector<std::string>& arguments) {
  Options options = declare_remove();
  if (!options.parse(arguments)) return std::nullopt;
  return RemoveOptions{read_action(options, "NAME"), options.is_set("force")};
}

int remove_campaign(const RemoveOptions& options) {
  const std::string& name = options.common.name;
  const std::unique_ptr<fleet::FleetStore> store = open_for_changes(options.common);
  const fleet::RemovedCampaign removed = store->remove(name, options.force);
  if (options.common.json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::campaigns::campaign_remove_json(
                                       store->address(), name, removed)));
  } else {
    text_output::print_text("{}: removed with {} and {} of rows; databases that have these rows keep them\n",
                            name, base::counted(removed.tasks, "task"),
                            base::counted(removed.batches, "batch", "batches"));
  }
  return 0;
}

int run_remove(const std::vector<std::string>& arguments) {
  const std::optional<RemoveOptions> options = parse_remove(arguments);
  return options ? remove_campaign(*options) : 0;
}

}  // namespace

Command remove_action() {
  return {"remove", "remove a campaign with its tasks and rows", run_remove,
          [] { return declare_remove().description(); }};
}

}  // namespace warptune::tuner::commands::campaigns
