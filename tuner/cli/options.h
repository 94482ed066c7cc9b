#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "search/value.h"

namespace warptune::tuner::cli {

/// The options of one subcommand: declares, parses, prints the help from the same declarations.
class Options {
 public:
  /// `usage` is what follows `warptune`: "tune KERNEL".
  Options(std::string usage, std::string summary);

  /// A named option with a value, e.g. add("db", "FILE", "the database").
  Options& value(const std::string& name, const std::string& placeholder, const std::string& help,
                 std::optional<std::string> fallback = std::nullopt);
  /// One that may be given several times.
  Options& values(const std::string& name, const std::string& placeholder, const std::string& help);
  Options& flag(const std::string& name, const std::string& help);
  /// What stands without a name; `most` of them.
  Options& positional(const std::string& name, int least, int most);
  Options& common();    ///< --format, --log-level, --help.
  Options& database();  ///< --db.

  /// False when --help was asked for and printed. Throws `base::InputError` on anything unknown, missing or
  /// repeated.
  bool parse(const std::vector<std::string>& arguments);

  bool has(const std::string& name) const { return parsed_.count(name) != 0 && !parsed_[name].defaulted(); }
  std::optional<std::string> text(const std::string& name) const;
  std::string required(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;
  bool is_set(const std::string& name) const { return parsed_.count(name) != 0; }
  bool json() const { return text("format") == "json"; }
  /// A non-negative integer.
  std::optional<std::uint64_t> number(const std::string& name) const;
  /// `--size`: NAME=VALUE pairs.
  search::NamedValues assignments(const std::string& name) const;
  std::string help() const;

 private:
  std::vector<std::string> option_names() const;
  void check_values() const;

  std::string usage_;
  std::string summary_;
  boost::program_options::options_description visible_;
  std::vector<std::string> placeholders_;
  std::string positional_name_;
  int positional_least_ = 0;
  int positional_most_ = 0;
  boost::program_options::variables_map parsed_;
};

}  // namespace warptune::tuner::cli
