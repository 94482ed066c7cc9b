#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "tuner/manual/shell_completion.h"
#include "tuner/manual/value_completion.h"

namespace warptune::tuner::manual {

namespace {

// The part of the script that does not depend on the commands. `bash_completion` puts `_warptune_first`,
// `_warptune_command` and `_warptune_value` before it.
constexpr std::string_view kScript = R"(
_warptune() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local options='' words='' paths='' list='' before='' joined=''
  COMPREPLY=()
  # bash splits --option=value into three words.
  if [[ $current == '=' ]]; then
    current='' joined=yes
  elif [[ $previous == '=' ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]} joined=yes
  fi
  if ((COMP_CWORD == 1)); then
    words=$_warptune_first
  elif _warptune_value "$command $previous"; then
    :
  elif [[ $joined ]]; then
    return 0  # The second half of NAME=VALUE.
  elif [[ $current == -* ]]; then
    _warptune_command "$command"
    words=$options paths=''
  else
    _warptune_command "$command"
  fi
  if [[ $list && $current == *,* ]]; then
    before=${current%,*},
  fi
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${current#"$before"}")
  case $paths in
    files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
    folders) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
  esac
  if [[ $paths ]]; then
    compopt -o filenames 2>/dev/null || :  # Fails where no key was pressed, in a test.
  fi
  return 0
}

complete -F _warptune warptune
)";

// Assigns what is known of a value to the script's variables: ` words='cold warm' paths=files list=yes`.
std::string assignments(const ValueCompletion& value) {
  std::string text;
  if (!value.words.empty()) text += fmt::format(" words='{}'", fmt::join(value.words, " "));
  if (value.files || value.folders) text += value.files ? " paths=files" : " paths=folders";
  if (value.is_list) text += " list=yes";
  return text.empty() ? " :" : text;
}

std::vector<std::string> spellings(const std::vector<OptionDescription>& options) {
  std::vector<std::string> all;
  for (const OptionDescription& option : options) {
    if (option.letter != '\0') all.push_back(fmt::format("-{}", option.letter));
    all.push_back("--" + option.name);
  }
  return all;
}

// One line of `_warptune_value`.
std::string value_line(const std::string& command, const OptionDescription& option) {
  std::string pattern = fmt::format("'{} --{}'", command, option.name);
  if (option.letter != '\0') pattern += fmt::format(" | '{} -{}'", command, option.letter);
  return fmt::format("    {}){} ;;\n", pattern, assignments(completion_of(option.placeholder, option.words)));
}

}  // namespace

std::string bash_completion(const ProgramDescription& program) {
  std::string commands;
  std::string values;
  std::vector<std::string> first;
  for (const CommandDescription& command : program.commands) {
    first.push_back(command.name);
    ValueCompletion positional;
    if (command.positional)
      positional = completion_of(command.positional->placeholder, command.positional->words);
    commands +=
        fmt::format("    {}) options='{}'{} ;;\n", command.name, fmt::join(spellings(command.options), " "),
                    positional.empty() ? "" : assignments(positional));
    for (const OptionDescription& option : command.options) {
      if (!option.placeholder.empty() && !option.value_is_optional)
        values += value_line(command.name, option);
    }
  }
  for (std::string& spelling : spellings(program.options)) first.push_back(std::move(spelling));
  return fmt::format(
      "# Completion of warptune for bash. Written by: warptune help --completion bash\n\n"
      "_warptune_first='{}'\n\n"
      "# Sets the options of a command, and the values of its positional arguments.\n"
      "_warptune_command() {{\n  case $1 in\n{}  esac\n}}\n\n"
      "# Sets the values of an option, given as \"COMMAND OPTION\". Fails if the option takes none.\n"
      "_warptune_value() {{\n  case $1 in\n{}    *) return 1 ;;\n  esac\n}}\n{}",
      fmt::join(first, " "), commands, values, kScript);
}

}  // namespace warptune::tuner::manual
