#pragma once

#include "tuner/commands/command.h"

// The one list of the actions of `warptune campaign`, in the order in which the help shows them. An action
// needs a line here and the function NAME_action() in NAME_action.cpp of this folder. A line without its
// function does not link.
#define WARPTUNE_CAMPAIGN_ACTIONS(ACTION) \
  ACTION(init)                            \
  ACTION(add)                             \
  ACTION(list)                            \
  ACTION(status)                          \
  ACTION(watch)                           \
  ACTION(results)                         \
  ACTION(cancel)                          \
  ACTION(retry)                           \
  ACTION(remove)                          \
  ACTION(accept)

namespace warptune::tuner::commands::campaigns {

#define WARPTUNE_DECLARED(name) Command name##_action();
WARPTUNE_CAMPAIGN_ACTIONS(WARPTUNE_DECLARED)
#undef WARPTUNE_DECLARED

/// All actions in the order of the list. An action's name is the word after `campaign`.
const std::vector<Command>& campaign_actions();

}  // namespace warptune::tuner::commands::campaigns
