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

/// The options of one subcommand: declares and parses them. Help, manual page and completion are written from
/// the same declarations (`tuner/manual/`).
/// Only a command's parse function and the option groups see it; what a command does takes typed fields.
class Options {
 public:
  /// `usage` is what follows `warptune`: "tune KERNEL".
  Options(std::string usage, std::string summary);
  Options(Options&& other) noexcept;
  Options& operator=(Options&& other) noexcept;
  ~Options();

  /// Declares an option with a value, e.g. value("db", "FILE", "the database"); "output,o" has a short form.
  /// What `placeholder` says to a shell: `manual::completion_of`. `fallback` is its value where it is not
  /// given.
  Options& value(const std::string& name, const std::string& placeholder, const std::string& help,
                 const std::optional<std::string>& fallback = std::nullopt);
  /// Declares one that may be given several times.
  Options& values(const std::string& name, const std::string& placeholder, const std::string& help);
  Options& flag(const std::string& name, const std::string& help);
  /// Declares what stands without a name: at least `least` and at most `most` of them; -1: any number.
  Options& positional(const std::string& name, int least, int most);
  Options& common();              ///< Declares --format text|json, --log-level and --help.
  Options& help_and_log_level();  ///< Those of a command whose output has forms of its own, or one form.

  /// Words that a shell offers for what was declared last, beside those of its placeholder. They are asked
  /// for only where a completion is written.
  Options& known_words(std::function<std::vector<std::string>()> words);
  /// An example of the command's help; `arguments` is what follows `warptune`.
  Options& example(const std::string& arguments, const std::string& meaning);
  /// Commands whose manual pages this one's page names.
  Options& related(std::vector<std::string> commands);

  /// Parses, and sets up the log of this process and its workers. False when --help was asked for and
  /// printed. Throws `base::InputError` on anything unknown, missing or repeated.
  bool parse(const std::vector<std::string>& arguments);

  /// Whether the option was given, rather than left to its fallback.
  bool has(const std::string& name) const;
  /// Whether a flag was given.
  bool is_set(const std::string& name) const;
  /// The value given or the fallback; nothing where there is neither. The same holds for the readers below.
  std::optional<std::string> text(const std::string& name) const;
  std::optional<std::filesystem::path> path(const std::string& name) const;
  /// Throws `base::InputError` for what is no integer of 0 or more.
  std::optional<std::uint64_t> number(const std::string& name) const;
  /// Throws `base::InputError` for what is no integer of 1 or more.
  std::optional<std::uint64_t> positive_number(const std::string& name) const;
  /// What the word given stands for. Throws `base::InputError` that lists the words where it is none of them.
  template <class T>
  std::optional<T> choice(const std::string& name,
                          std::initializer_list<std::pair<std::string_view, T>> choices) const;
  /// All values of an option that may be repeated, or of the positional arguments, in the order given.
  std::vector<std::string> texts(const std::string& name) const;
  /// NAME=VALUE pairs. Throws `base::InputError` for what is no such pair, and for a name given twice.
  model::NamedValues assignments(const std::string& name) const;
  /// The first positional argument. Throws `base::InputError` where there is none.
  std::string required(const std::string& name) const;
  /// Whether `common`'s --format is json.
  bool json() const;
  std::string log_level() const;
  std::string help() const;
  /// What was declared, with the known words; without the summary, which is the command's.
  manual::CommandDescription description() const;

 private:
  struct State;

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
