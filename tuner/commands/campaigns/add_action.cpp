#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "fleet/fleet_store.h"
#include "tuner/campaigns/campaign_file.h"
#include "tuner/commands/campaigns/campaign_action.h"
#include "tuner/commands/campaigns/campaign_options.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/campaigns/campaign_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::campaigns {

namespace {

struct AddOptions {
  CampaignOptions common;  ///< The name is the path of the campaign file.
  std::optional<std::filesystem::path> key;
  std::optional<std::string> role;
};

Options declare_add() {
  Options options =
      declare_action("add", "FILE",
                     "Adds the campaign that a file describes to a store. A campaign never changes: another "
                     "one needs another name. Adding the same one again changes nothing.");
  options.value("sign", "FILE",
                "SSH key that signs the definitions that are not shipped with warptune. Nodes run only "
                "definitions of keys that they allow");
  options.value("role", "NAME",
                "role of the PostgreSQL server: only its members see and run the campaign. Default: all "
                "users of the store");
  return std::move(
      options.example("campaign add nightly.toml", "Adds a campaign to the store in WARPTUNE_STORE.")
          .example("campaign add nightly.toml --sign ~/.ssh/id_ed25519",
                   "Signs its definitions, so that nodes on other machines run them."));
}

std::optional<AddOptions> parse_add(const std::vector<std::string>& arguments) {
  Options options = declare_add();
  if (!options.parse(arguments)) return std::nullopt;
  return AddOptions{read_action(options, "FILE"), options.path("sign"), options.text("role")};
}

int add_campaign(const AddOptions& options) {
  const tuner::campaigns::CampaignFile file =
      tuner::campaigns::read_campaign_file(options.common.name, options.key);
  const fleet::Campaign& campaign = file.campaign;
  const std::unique_ptr<fleet::FleetStore> store = open_for_changes(options.common);
  const std::vector<fleet::CampaignSummary> before = store->campaigns();
  const bool is_new =
      std::none_of(before.begin(), before.end(), [&](const auto& one) { return one.name == campaign.name; });
  tuner::campaigns::add_campaign(*store, file, options.role);
  if (options.common.json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::campaigns::campaign_add_json(
                                       store->address(), campaign, is_new)));
  } else if (is_new) {
    text_output::print_text("{}: {} added; nodes of {} run them\n", campaign.name,
                            base::counted(campaign.tasks.size(), "task"), store->address());
  } else {
    text_output::print_text("{}: the store has the same campaign already; nothing has changed\n",
                            campaign.name);
  }
  return 0;
}

int run_add(const std::vector<std::string>& arguments) {
  const std::optional<AddOptions> options = parse_add(arguments);
  return options ? add_campaign(*options) : 0;
}

}  // namespace

Command add_action() {
  return {"add", "add the campaign of a file", run_add, [] { return declare_add().description(); }};
}

}  // namespace warptune::tuner::commands::campaigns
