#include <string>
#include <vector>

#include "tuner/commands/action_group.h"
#include "tuner/commands/campaigns/campaign_action.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"

namespace warptune::tuner::commands {

namespace campaigns {

const std::vector<Command>& campaign_actions() {
#define WARPTUNE_MADE(name) name##_action(),
  static const std::vector<Command> kActions = {WARPTUNE_CAMPAIGN_ACTIONS(WARPTUNE_MADE)};
#undef WARPTUNE_MADE
  return kActions;
}

}  // namespace campaigns

namespace {

const ActionGroup& campaign_group() {
  static const ActionGroup kGroup{"campaign",
                                  "Tunes many kernels and sizes on many machines.",
                                  "store",
                                  declare_store,
                                  campaigns::campaign_actions,
                                  {"node", "tune", "db"}};
  return kGroup;
}

}  // namespace

Command campaign_command() {
  return {"campaign", "tune many kernels and sizes on many machines, and say how far it is",
          [](const std::vector<std::string>& arguments) { return run_group(campaign_group(), arguments); },
          [] { return describe_group(campaign_group()); }};
}

}  // namespace warptune::tuner::commands
