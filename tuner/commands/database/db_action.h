#pragma once

#include "tuner/commands/command.h"

// The one list of the actions of `warptune db`, in the order in which the help shows them. An action needs a
// line here and the function NAME_action() in NAME_action.cpp of this folder. A line without its function
// does not link.
#define WARPTUNE_DB_ACTIONS(ACTION) \
  ACTION(info)                      \
  ACTION(verify)                    \
  ACTION(backup)                    \
  ACTION(merge)                     \
  ACTION(import)                    \
  ACTION(export)                    \
  ACTION(carry)                     \
  ACTION(prune)                     \
  ACTION(compact)

namespace warptune::tuner::commands::database {

#define WARPTUNE_DECLARED(name) Command name##_action();
WARPTUNE_DB_ACTIONS(WARPTUNE_DECLARED)
#undef WARPTUNE_DECLARED

/// All actions in the order of the list. An action's name is the word after `db`.
const std::vector<Command>& db_actions();

}  // namespace warptune::tuner::commands::database
