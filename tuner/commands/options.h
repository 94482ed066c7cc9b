#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/value.h"
#include "tuner/manual/command_description.h"

namespace warptune::tuner::commands {

/// Declares and parses the options of one subcommand. Help, manual page and completion are written from the
/// same declarations (`tuner/manual/`). Only the parse function of a command and the option groups use this
/// class. The rest of a command takes typed fields.
class Options {
 public:
  /// `usage` is the text after `warptune` in the usage line, e.g. "tune KERNEL".
  Options(std::string usage, std::string summary);
  Options(Options&& other) noexcept;
  Options& operator=(Options&& other) noexcept;
  ~Options();

  /// Declares an option with a value, e.g. value("db", "FILE", "the database"); "output,o" has a short form.
  /// `manual::completion_of` defines what a shell offers for a `placeholder`. `fallback` is the value of an
  /// option that is not given.
  Options& value(const std::string& name, const std::string& placeholder, const std::string& help,
                 const std::optional<std::string>& fallback = std::nullopt);
  /// Declares an option with a value that may be given several times.
  Options& values(const std::string& name, const std::string& placeholder, const std::string& help);
  /// Declares an option whose value may be left out: `--watch` or `--watch=8080`. Without a value, its text
  /// is empty.
  Options& optional_value(const std::string& name, const std::string& placeholder, const std::string& help);
  Options& flag(const std::string& name, const std::string& help);
  /// Declares positional arguments: at least `minimum` and at most `maximum` of them. A maximum of -1
  /// sets no limit.
  Options& positional(const std::string& name, int minimum, int maximum);
  /// Says in the help that `--` and a program may follow the options, e.g. followed_by("PROGRAM
  /// [ARGUMENT...]"). The command takes these arguments off before it calls `parse`.
  Options& followed_by(const std::string& program);
  Options& common();              ///< Declares --format text|json, --log-level and --help.
  Options& help_and_log_level();  ///< Declares --log-level and --help only.

  /// Declares words that a shell offers for the option or argument that was declared last, in addition to
  /// those of its placeholder. Only `description` calls `words`, because finding them may take time.
  Options& known_words(std::function<std::vector<std::string>()> words);
  /// Adds an example to the command's help; `arguments` is what follows `warptune`.
  Options& example(const std::string& arguments, const std::string& meaning);
  /// Names commands whose manual pages this command's page refers to.
  Options& related(std::vector<std::string> commands);

  /// Parses the arguments, and sets up the log of this process and of its workers. Returns false after
  /// printing the help for --help. Throws `base::InputError` for anything unknown, missing or repeated.
  bool parse(const std::vector<std::string>& arguments);

  /// Whether the user gave the option. A fallback does not count.
  bool has(const std::string& name) const;
  /// Whether the option has a value, given or fallback. For a flag: whether it was given.
  bool is_set(const std::string& name) const;
  /// The given value, otherwise the fallback, otherwise `std::nullopt`. This also holds for `path`, `number`,
  /// `positive_number` and `choice`.
  std::optional<std::string> text(const std::string& name) const;
  std::optional<std::filesystem::path> path(const std::string& name) const;
  /// As `path`, for a file to write. Throws as `outputs::require_own_file` does.
  std::optional<std::filesystem::path> output_path(const std::string& name) const;
  /// As `path`, for a folder that exists. Throws `base::InputError` if it is not a folder.
  std::optional<std::filesystem::path> folder(const std::string& name) const;
  /// Throws `base::InputError` unless the value is an integer, 0 or more.
  std::optional<std::uint64_t> number(const std::string& name) const { return integer(name, 0); }
  /// Throws `base::InputError` unless the value is an integer, 1 or more.
  std::optional<std::uint64_t> positive_number(const std::string& name) const { return integer(name, 1); }
  /// The meaning of the given word. Throws `base::InputError` with a list of the words when it is another
  /// word.
  template <class T>
  std::optional<T> choice(const std::string& name,
                          std::initializer_list<std::pair<std::string_view, T>> choices) const;
  /// All values of an option that may be repeated, or all positional arguments, in the order given.
  std::vector<std::string> texts(const std::string& name) const;
  /// All NAME=VALUE pairs of an option. Throws `base::InputError` for another form, and for a name given
  /// twice.
  model::NamedValues assignments(const std::string& name) const;
  /// The first positional argument. Throws `base::InputError` when it is missing.
  std::string required(const std::string& name) const;
  /// Whether the --format that `common` declares is json.
  bool json() const;
  std::string log_level() const;
  std::string help() const;
  /// Everything that was declared, with the known words. The summary is missing: `Command` has it.
  manual::CommandDescription description() const;

 private:
  struct State;

  std::optional<std::uint64_t> integer(const std::string& name, std::int64_t minimum) const;
  Options& declare(const std::string& names, manual::OptionDescription option);
  std::vector<std::string> option_names() const;
  void check_values() const;
  std::optional<std::size_t> choice_index(const std::string& name,
                                          const std::vector<std::string_view>& words) const;

  std::unique_ptr<State> state_;
};

template <class T>
std::optional<T> Options::choice(const std::string& name,
                                 std::initializer_list<std::pair<std::string_view, T>> choices) const {
  std::vector<std::string_view> words;
  for (const auto& [word, meaning] : choices) words.push_back(word);
  const std::optional<std::size_t> chosen = choice_index(name, words);
  if (!chosen) return std::nullopt;
  return (choices.begin() + *chosen)->second;
}

}  // namespace warptune::tuner::commands
