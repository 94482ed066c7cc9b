#include <string>
#include <vector>

#include "tuner/commands/actions/action_group.h"
#include "tuner/commands/campaigns/campaign_action.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"

namespace warptune::tuner::commands::campaigns {

const std::vector<Command>& campaign_actions() {
#define WARPTUNE_MADE(name) name##_action(),
  static const std::vector<Command> kActions = {WARPTUNE_CAMPAIGN_ACTIONS(WARPTUNE_MADE)};
#undef WARPTUNE_MADE
  return kActions;
}

namespace {

const actions::ActionGroup& campaign_group() {
  static const actions::ActionGroup kGroup{"campaign",       "Tunes many kernels and sizes on many machines.",
                                           "store",          declare_store,
                                           campaign_actions, {"node", "tune", "db"}};
  return kGroup;
}

int run_campaign(const std::vector<std::string>& arguments) {
  return actions::run_group(campaign_group(), arguments);
}

manual::CommandDescription describe_campaign() { return actions::describe_group(campaign_group()); }

}  // namespace

}  // namespace warptune::tuner::commands::campaigns

warptune::tuner::commands::Command warptune::tuner::commands::campaign_command() {
  return {"campaign", "tune many kernels and sizes on many machines, and show the progress",
          campaigns::run_campaign, campaigns::describe_campaign};
}
