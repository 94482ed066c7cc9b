#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "fleet/fleet_store.h"
#include "fleet/node.h"
#include "tuner/commands/campaigns/campaign_action.h"
#include "tuner/commands/campaigns/campaign_options.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/campaigns/campaign_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::campaigns {

namespace {

Options declare_accept() {
  Options options =
      declare_action("accept", "NODE",
                     "Accepts the measurements of a node although its roofs are unusual for its model of "
                     "GPU. Its rows are no "
                     "longer left out. NODE is its name or its id, as warptune campaign status shows them.");
  return std::move(
      options.example("campaign accept node07", "Ranks the rows of node07 with those of others."));
}

std::optional<CampaignOptions> parse_accept(const std::vector<std::string>& arguments) {
  return parse_action(declare_accept(), arguments, "NODE");
}

// The node of that name or id. Throws `base::InputError` if there is none, or several of that name.
fleet::Node node_named(const std::vector<fleet::NodeRecord>& nodes, const std::string& wanted) {
  std::vector<const fleet::NodeRecord*> found;
  std::vector<std::string> names;
  for (const fleet::NodeRecord& record : nodes) {
    if (record.node.id == wanted) return record.node;
    if (record.node.name == wanted) found.push_back(&record);
    names.push_back(record.node.name);
  }
  if (found.size() == 1) return found.front()->node;
  if (found.empty())
    throw base::InputError(
        fmt::format("the store has no node '{}'{}", wanted, base::did_you_mean(wanted, names)));
  std::vector<std::string> ids;
  ids.reserve(found.size());
  for (const fleet::NodeRecord* record : found) ids.push_back(record->node.id);
  throw base::InputError(fmt::format("{} nodes have the name {}: give one of the ids {}", found.size(),
                                     wanted, fmt::join(ids, ", ")));
}

int accept_node(const CampaignOptions& options) {
  const std::unique_ptr<fleet::FleetStore> store = open_for_changes(options);
  const fleet::Node node = node_named(store->nodes(), options.name);
  store->accept_node(node.id);
  if (options.json) {
    text_output::print_out(
        "{}\n", json_output::to_text(json_output::campaigns::campaign_accept_json(store->address(), node)));
  } else {
    text_output::print_text("{} is accepted: its rows are ranked with those of other nodes\n", node.name);
  }
  return 0;
}

int run_accept(const std::vector<std::string>& arguments) {
  const std::optional<CampaignOptions> options = parse_accept(arguments);
  return options ? accept_node(*options) : 0;
}

}  // namespace

Command accept_action() {
  return {"accept", "rank the rows of a suspect node with those of others", run_accept,
          [] { return declare_accept().description(); }};
}

}  // namespace warptune::tuner::commands::campaigns
