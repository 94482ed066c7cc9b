#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tuner/manual/shell_completion.h"
#include "tuner/manual/value_completion.h"

namespace warptune::tuner::manual {

namespace {

constexpr std::string_view kStart =
    R"(# Completion of warptune for fish. Written by: warptune help --completion fish

# Whether no command was typed yet.
function __warptune_begins
    test (count (commandline -opc)) -eq 1
end

# Whether the command is the one that is named.
function __warptune_runs
    set -l typed (commandline -opc)
    test (count $typed) -ge 2; and test "$typed[2]" = "$argv[1]"
end

complete -c warptune -f
)";

std::string fish_quoted(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '\\' ? "\\\\" : std::string(1, c);
  return quoted(escaped, "\\'");
}

// The arguments of `complete` for the values of an option or a positional argument: ` -F -a 'cold warm'`.
std::string arguments_of(const ValueCompletion& value) {
  std::string text = value.files ? " -F" : "";
  std::string words = fmt::format("{}", fmt::join(value.words, " "));
  if (value.is_list && !words.empty())
    words = fmt::format("(__fish_complete_list , \"string split ' ' '{}'\")", words);
  if (value.folders) words += (words.empty() ? "" : " ") + std::string("(__fish_complete_directories)");
  if (!words.empty()) text += " -a " + fish_quoted(words);
  return text;
}

std::string option_line(const std::string& condition, const OptionDescription& option) {
  std::string line = "complete -c warptune -n " + condition;
  if (option.letter != '\0') line += fmt::format(" -s {}", option.letter);
  line += " -l " + option.name;
  if (!option.placeholder.empty() && !option.value_is_optional) {
    const ValueCompletion value = completion_of(option.placeholder, option.words);
    line += (value.files ? " -r" : " -x") + arguments_of(value);
  }
  return line + " -d " + fish_quoted(first_clause(option.help)) + "\n";
}

}  // namespace

std::string fish_completion(const ProgramDescription& program) {
  std::string text(kStart);
  for (const OptionDescription& option : program.options) text += option_line("__warptune_begins", option);
  for (const CommandDescription& command : program.commands) {
    const std::string condition = fish_quoted("__warptune_runs " + command.name);
    text += fmt::format("\ncomplete -c warptune -n __warptune_begins -a {} -d {}\n", command.name,
                        fish_quoted(command.summary));
    if (command.positional) {
      const ValueCompletion value = completion_of(command.positional->placeholder, command.positional->words);
      if (!value.empty())
        text += fmt::format("complete -c warptune -n {}{}\n", condition, arguments_of(value));
    }
    for (const OptionDescription& option : command.options) text += option_line(condition, option);
  }
  return text;
}

}  // namespace warptune::tuner::manual
