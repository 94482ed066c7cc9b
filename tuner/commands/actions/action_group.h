#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/commands/command.h"
#include "tuner/commands/options.h"

namespace warptune::tuner::commands::actions {

/// A command whose first argument is one of several actions with options of their own: `warptune db info`.
struct ActionGroup {
  std::string_view name;   ///< The command's name.
  std::string_view about;  ///< One sentence on what the actions have in common.
  std::string_view
      shared;  ///< The option with a value that all actions have, and that may precede the action.
  Options& (*declare_shared)(Options& options);  ///< Declares it.
  const std::vector<Command>& (*actions)();      ///< An action's name is the word after the command.
  std::vector<std::string> related;              ///< Commands to which the manual page refers.
  std::vector<std::pair<std::string_view, std::string_view>>
      earlier_names{};  ///< Former names of actions, with the present ones.
};

/// The command's description: the options of all actions, each with the actions that take it.
manual::CommandDescription describe_group(const ActionGroup& group);

/// Runs the action that the arguments name. Throws `base::InputError` if there is no action of that name.
int run_group(const ActionGroup& group, std::vector<std::string> arguments);

}  // namespace warptune::tuner::commands::actions
