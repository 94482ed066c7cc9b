#include <string>
#include <vector>

#include "tuner/commands/actions/action_group.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database/db_action.h"
#include "tuner/commands/option_groups.h"

namespace warptune::tuner::commands {

namespace database {

const std::vector<Command>& db_actions() {
#define WARPTUNE_MADE(name) name##_action(),
  static const std::vector<Command> kActions = {WARPTUNE_DB_ACTIONS(WARPTUNE_MADE)};
#undef WARPTUNE_MADE
  return kActions;
}

}  // namespace database

namespace {

const actions::ActionGroup& db_group() {
  static const actions::ActionGroup kGroup{"db",
                                           "Works on the database file.",
                                           "db",
                                           declare_database,
                                           database::db_actions,
                                           {"show", "cache"},
                                           {{"check", "verify"}}};
  return kGroup;
}

}  // namespace

Command db_command() {
  return {"db", "work on the database file: verify, copy, merge, import, export, prune and compact it",
          [](const std::vector<std::string>& arguments) { return actions::run_group(db_group(), arguments); },
          [] { return actions::describe_group(db_group()); }};
}

}  // namespace warptune::tuner::commands
