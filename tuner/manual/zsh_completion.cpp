#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tuner/manual/shell_completion.h"
#include "tuner/manual/value_completion.h"

namespace warptune::tuner::manual {

namespace {

constexpr std::string_view kEnd = R"(
_warptune() {
  local context curcontext=$curcontext state line
  local -A opt_args
  _arguments -C $_warptune_options ':command:->command' '*::argument:->argument' && return 0
  case $state in
    command) _describe -t commands command _warptune_commands ;;
    argument)
      curcontext=${curcontext%:*:*}:warptune-$words[1]:
      (( $+functions[_warptune_$words[1]] )) && _warptune_$words[1]
      ;;
  esac
}

if [[ $funcstack[1] == _warptune ]]; then
  _warptune "$@"
else
  compdef _warptune warptune
fi
)";

std::string zsh_quoted(std::string_view text) { return quoted(text, "'\\''"); }

// Escapes the characters that are special to `_arguments` and `_describe`.
std::string escaped_for_arguments(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// The action that completes a value: the last part of a specification of `_arguments`. A value that is a
// list, or that may be one of some words or a path, needs a shell function. The function is added to
// `functions`.
std::string action(const ValueCompletion& value, const std::string& function, std::string& functions) {
  const std::string words = fmt::format("{}", fmt::join(value.words, " "));
  const bool has_paths = value.files || value.folders;
  std::string paths = value.files ? "_files" : "_files -/";
  if (value.empty()) return " ";
  if (words.empty()) return paths;
  if (!has_paths && !value.is_list) return "(" + words + ")";
  functions += function + "() {\n";
  if (value.is_list) {
    functions += fmt::format("  _sequence compadd - {}\n", words);
  } else {
    functions += fmt::format("  _alternative 'words:word:({})' 'paths:path:{}'\n", words, paths);
  }
  functions += "}\n";
  return function;
}

std::string option_specification(const std::string& command, const OptionDescription& option,
                                 std::string& functions) {
  std::string value;
  if (!option.placeholder.empty()) {
    value = (option.value_is_optional ? "::" : ":") + escaped_for_arguments(option.placeholder) + ":" +
            action(completion_of(option.placeholder, option.words),
                   fmt::format("_warptune_{}_{}", command, option.name), functions);
  }
  const std::string meaning = "[" + escaped_for_arguments(first_clause(option.help)) + "]" + value;
  // `=-`: the value has to be in the same word.
  const std::string join = option.placeholder.empty() ? "" : option.value_is_optional ? "=-" : "=";
  const std::string many = option.is_repeatable ? "*" : "";
  if (option.letter == '\0') return zsh_quoted(many + "--" + option.name + join + meaning);
  const std::string both = fmt::format("(-{} --{})", option.letter, option.name);
  return zsh_quoted(fmt::format("{}-{}{}{}", both, option.letter, join.empty() ? "" : "+", meaning)) + " " +
         zsh_quoted(both + "--" + option.name + join + meaning);
}

std::string command_function(const CommandDescription& command) {
  std::string functions;
  std::string specifications;
  for (const OptionDescription& option : command.options)
    specifications += " \\\n    " + option_specification(command.name, option, functions);
  if (command.positional) {
    const std::string& placeholder = command.positional->placeholder;
    specifications += " \\\n    " + zsh_quoted("*:" + escaped_for_arguments(placeholder) + ":" +
                                               action(completion_of(placeholder, command.positional->words),
                                                      "_warptune_" + command.name + "_argument", functions));
  }
  return fmt::format("{}\n_warptune_{}() {{\n  _arguments -s -S{}\n}}\n", functions, command.name,
                     specifications);
}

}  // namespace

std::string zsh_completion(const ProgramDescription& program) {
  std::string names;
  std::string functions;
  std::string options;
  for (const CommandDescription& command : program.commands) {
    names += "  " + zsh_quoted(command.name + ":" + escaped_for_arguments(command.summary)) + "\n";
    functions += "\n" + command_function(command);
  }
  for (const OptionDescription& option : program.options)
    options += "  " + option_specification("", option, functions) + "\n";
  return fmt::format(
      "#compdef warptune\n# Completion of warptune for zsh. Written by: warptune help --completion zsh\n\n"
      "typeset -ga _warptune_commands _warptune_options\n"
      "_warptune_commands=(\n{})\n_warptune_options=(\n{}){}{}",
      names, options, "\n" + functions, kEnd);
}

}  // namespace warptune::tuner::manual
