#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warptune::tuner::manual {

/// What a command's help, its manual page and its completion are written from. The commands declare it
/// (`tuner/commands/options.h`). Nothing here parses a command line.
///
/// A placeholder stands for a value: `cold|warm`, `DIR|none`, `NAME[,NAME]`. `completion_of` says what it
/// means.
struct OptionDescription {
  std::string name;         ///< Without its dashes: `output`.
  char letter = '\0';       ///< The short form (`o`), or 0.
  std::string placeholder;  ///< Empty for a flag, which takes no value.
  std::string help;
  std::optional<std::string> fallback;  ///< The value if the option is not given.
  bool is_repeatable = false;
  std::vector<std::string> words;  ///< Known values, in addition to those of the placeholder.
  /// The value may be left out; if it is given, it follows a `=`.
  bool value_is_optional = false;
};

/// An argument without the name of an option: `KERNEL...`.
struct PositionalDescription {
  std::string placeholder;  ///< Without brackets and dots.
  std::vector<std::string> words;
};

struct Example {
  std::string arguments;  ///< What follows `warptune`.
  std::string meaning;    ///< A sentence.
};

struct CommandDescription {
  std::string name;
  std::string summary;  ///< A phrase for the list of commands, in small letters.
  std::string usage;    ///< What follows `warptune`: `tune KERNEL`.
  std::string description;
  std::optional<PositionalDescription> positional;
  std::vector<OptionDescription> options;
  std::vector<Example> examples;
  std::vector<std::string> related;  ///< Names of other commands.
  /// What follows the options and `--`: `PROGRAM [ARGUMENT...]`. It is empty for commands that run none.
  std::string program;
};

/// A file or folder that the program uses.
struct FileDescription {
  std::string path;
  std::string meaning;
  std::string option;  ///< Only commands with this option use it; empty: every command.
};

struct ProgramDescription {
  std::string summary;                     ///< A sentence for the list of commands.
  std::string description;                 ///< A paragraph for the manual page.
  std::vector<OptionDescription> options;  ///< Options that are given without a command.
  std::vector<CommandDescription> commands;
  std::vector<FileDescription> files;
};

}  // namespace warptune::tuner::manual
