#include "tuner/commands/actions/action_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tuner/manual/help_text.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::actions {

namespace {

std::vector<std::string> action_names(const ActionGroup& group) {
  std::vector<std::string> names;
  for (const Command& action : group.actions()) names.emplace_back(action.name);
  return names;
}

std::string summary_of_actions(const ActionGroup& group) {
  std::string text = fmt::format("{} Each action has its own --help.", group.about);
  for (const Command& action : group.actions()) text += fmt::format(" {}: {}.", action.name, action.summary);
  return text;
}

Options declare_group(const ActionGroup& group) {
  Options options(fmt::format("{} ACTION [ARGUMENT...]", group.name), summary_of_actions(group));
  options.positional("ACTION", 1, -1).known_words([&group] { return action_names(group); });
  group.declare_shared(options).common();
  for (const Command& action : group.actions()) {
    for (const manual::Example& example : action.describe().examples)
      options.example(example.arguments, example.meaning);
  }
  options.related(group.related);
  return options;
}

// What an option means, with the actions that take it: `import: ...; export, prune: ...`.
std::string meaning_of(const ActionGroup& group, const std::string& option) {
  std::vector<std::pair<std::string, std::string>> meanings;  // The help, and the actions with this help.
  for (const Command& action : group.actions()) {
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

const Command& action_named(const ActionGroup& group, std::string_view name) {
  for (const auto& [earlier, present] : group.earlier_names)
    if (name == earlier) name = present;
  for (const Command& action : group.actions())
    if (action.name == name) return action;
  throw base::InputError(fmt::format("{} {}: expected {}{}", group.name, name,
                                     fmt::join(action_names(group), ", "),
                                     base::did_you_mean(name, action_names(group))));
}

// Without an action: prints the help of all actions, or throws what is wrong.
int parse_group(const ActionGroup& group, const std::vector<std::string>& arguments) {
  const bool wants_help = std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--help" || argument == "-h";
  });
  if (!wants_help) {
    declare_group(group).parse(arguments);
    return 0;
  }
  const std::size_t width = text_output::terminal_width(stdout);
  text_output::print_to(stdout,
                        manual::help_text(describe_group(group), width == 0 ? manual::kHelpColumns : width));
  return 0;
}

}  // namespace

manual::CommandDescription describe_group(const ActionGroup& group) {
  manual::CommandDescription all = declare_group(group).description();
  std::ptrdiff_t added = 0;
  for (const Command& action : group.actions()) {
    for (manual::OptionDescription option : action.describe().options) {
      const bool is_known = std::any_of(all.options.begin(), all.options.end(),
                                        [&](const auto& known) { return known.name == option.name; });
      if (is_known) continue;
      option.help = meaning_of(group, option.name);
      all.options.insert(all.options.begin() + added++, std::move(option));
    }
  }
  return all;
}

int run_group(const ActionGroup& group, std::vector<std::string> arguments) {
  // Options may come before the action. Those that all actions have take a value, except for --help. Others
  // may be flags, and their values are given with `=` or after the action.
  const std::string shared = fmt::format("--{}", group.shared);
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with("--") && arguments[at] != "--help")
    at += arguments[at] == shared || arguments[at] == "--format" || arguments[at] == "--log-level" ? 2U : 1U;
  if (at >= arguments.size() || arguments[at].starts_with("-")) return parse_group(group, arguments);
  const Command& action = action_named(group, arguments[at]);
  arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(at));
  return action.run(arguments);
}

}  // namespace warptune::tuner::commands::actions
