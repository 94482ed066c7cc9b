#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database/db_action.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/manual/help_text.h"
#include "tuner/text_output/terminal.h"

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

using database::db_actions;

std::vector<std::string> action_names() {
  std::vector<std::string> names;
  for (const Command& action : db_actions()) names.emplace_back(action.name);
  return names;
}

std::string summary_of_actions() {
  std::string text = "Works on the database file. Each action has its own --help.";
  for (const Command& action : db_actions()) text += fmt::format(" {}: {}.", action.name, action.summary);
  return text;
}

Options declare_db() {
  Options options("db ACTION [ARGUMENT...]", summary_of_actions());
  options.positional("ACTION", 1, -1).known_words(action_names);
  declare_database(options).common();
  for (const Command& action : db_actions()) {
    for (const manual::Example& example : action.describe().examples)
      options.example(example.arguments, example.meaning);
  }
  options.related({"show", "cache"});
  return options;
}

// What an option means, with the actions that take it: `import: ...; export, prune: ...`.
std::string meaning_of(const std::string& option) {
  std::vector<std::pair<std::string, std::string>> meanings;  // The help, and the actions with this help.
  for (const Command& action : db_actions()) {
    for (const manual::OptionDescription& one : action.describe().options) {
      if (one.name != option) continue;
      const auto same = std::find_if(meanings.begin(), meanings.end(),
                                     [&](const auto& known) { return known.first == one.help; });
      if (same == meanings.end()) {
        meanings.emplace_back(one.help, action.name);
      } else {
        same->second += fmt::format(", {}", action.name);
      }
    }
  }
  std::string text;
  for (const auto& [help, actions] : meanings)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", actions, help);
  return text;
}

// The options of all actions, for the help, the manual page and shells.
manual::CommandDescription describe_db() {
  manual::CommandDescription all = declare_db().description();
  std::ptrdiff_t added = 0;
  for (const Command& action : db_actions()) {
    for (manual::OptionDescription option : action.describe().options) {
      const bool is_known = std::any_of(all.options.begin(), all.options.end(),
                                        [&](const auto& known) { return known.name == option.name; });
      if (is_known) continue;
      option.help = meaning_of(option.name);
      all.options.insert(all.options.begin() + added++, std::move(option));
    }
  }
  return all;
}

// `check` is the earlier name of `verify`.
const Command& action_named(const std::string& name) {
  for (const Command& action : db_actions())
    if (action.name == name || (name == "check" && action.name == "verify")) return action;
  throw base::InputError(fmt::format("db {}: expected {}{}", name, fmt::join(action_names(), ", "),
                                     base::did_you_mean(name, action_names())));
}

// Without an action: prints the help of all actions, or throws what is wrong.
int parse_db(const std::vector<std::string>& arguments) {
  const bool wants_help = std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--help" || argument == "-h";
  });
  if (!wants_help) {
    declare_db().parse(arguments);
    return 0;
  }
  const std::size_t width = text_output::terminal_width(stdout);
  text_output::print_to(stdout, manual::help_text(describe_db(), width == 0 ? manual::kHelpColumns : width));
  return 0;
}

int run_db(std::vector<std::string> arguments) {
  // Options may come before the action. Those that all actions have take a value, except for --help. Others
  // may be flags, and their values are given with `=` or after the action.
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with("--") && arguments[at] != "--help")
    at += arguments[at] == "--db" || arguments[at] == "--format" || arguments[at] == "--log-level" ? 2U : 1U;
  if (at >= arguments.size() || arguments[at].starts_with("-")) return parse_db(arguments);
  const Command& action = action_named(arguments[at]);
  arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(at));
  return action.run(arguments);
}

}  // namespace

Command db_command() {
  return {"db", "work on the database file: verify, copy, merge, import, export, prune and compact it",
          [](const std::vector<std::string>& arguments) { return run_db(arguments); }, describe_db};
}

}  // namespace warptune::tuner::commands
