#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/store.h"
#include "fleet/campaign_results.h"
#include "fleet/fleet_store.h"
#include "tuner/commands/campaigns/campaign_action.h"
#include "tuner/commands/campaigns/campaign_options.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/campaigns/campaign_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/text_output/campaigns/campaign_report.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::campaigns {

namespace {

Options declare_results() {
  Options options =
      declare_action("results", "NAME",
                     "Shows the best configuration that the campaign has measured for each task, "
                     "and how much slower the default is. Rows of other campaigns and of suspect "
                     "nodes are left out.");
  return std::move(options.example("campaign results nightly", "Shows what the campaign nightly has found."));
}

std::optional<CampaignOptions> parse_results(const std::vector<std::string>& arguments) {
  return parse_action(declare_results(), arguments, "NAME");
}

int show_results(const CampaignOptions& options) {
  const std::unique_ptr<fleet::FleetStore> store = open_for_reading(options);
  const fleet::Campaign campaign = store->campaign(options.name);
  const std::vector<fleet::TaskRecord> tasks = store->tasks(options.name);
  const db::Store snapshot =
      knowledge::open_database(knowledge::campaign_database_path(*store, options.store, options.name));
  const std::vector<fleet::TaskResult> results =
      fleet::campaign_results(campaign, tasks, fleet::campaign_winners(snapshot, campaign));
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::campaigns::campaign_results_json(
                                       store->address(), campaign, results)));
  } else {
    text_output::print_text("{}", text_output::campaigns::campaign_results_text(campaign, results));
  }
  return 0;
}

int run_results(const std::vector<std::string>& arguments) {
  const std::optional<CampaignOptions> options = parse_results(arguments);
  return options ? show_results(*options) : 0;
}

}  // namespace

Command results_action() {
  return {"results", "show the best configuration of each task", run_results,
          [] { return declare_results().description(); }};
}

}  // namespace warptune::tuner::commands::campaigns
