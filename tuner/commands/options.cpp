#include "tuner/commands/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "tuner/commands/outputs/output_file.h"
#include "tuner/manual/help_text.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace po = boost::program_options;

using Words = std::function<std::vector<std::string>()>;

struct Options::State {
  manual::CommandDescription declared;
  // The known words of each option by its name. Those of the positional arguments have the name "".
  std::map<std::string, Words> words;
  std::string last_declared;
  std::string positional_name;
  int positional_min = 0;
  int positional_max = 0;
  bool has_common_formats = false;
  po::variables_map parsed;
};

namespace {

// The part of a usage line after the command, without brackets and dots: `KERNEL` for `report [KERNEL...]`.
std::string positional_placeholder(const std::string& usage) {
  std::string placeholder;
  for (const char c : usage.substr(std::min(usage.find(' ') + 1, usage.size()))) {
    if (c != '[' && c != ']' && c != '.') placeholder += c;
  }
  return placeholder;
}

// The declared options in the form that Boost needs to parse them.
po::options_description parsed_options(const std::vector<manual::OptionDescription>& declared) {
  po::options_description options;
  for (const manual::OptionDescription& option : declared) {
    const std::string names =
        option.letter == '\0' ? option.name : fmt::format("{},{}", option.name, option.letter);
    if (option.placeholder.empty()) {
      options.add_options()(names.c_str(), "");
    } else if (option.is_repeatable) {
      options.add_options()(names.c_str(), po::value<std::vector<std::string>>()->composing());
    } else {
      auto* value = po::value<std::string>();
      if (option.fallback) value->default_value(*option.fallback);
      if (option.value_is_optional) value->implicit_value("");
      options.add_options()(names.c_str(), value);
    }
  }
  return options;
}

}  // namespace

Options::Options(std::string usage, std::string summary) : state_(std::make_unique<State>()) {
  // The words before the first argument: `tune`, `db import`.
  const std::size_t end = usage.find_first_not_of("abcdefghijklmnopqrstuvwxyz_ ");
  state_->declared.name = base::trim(std::string_view(usage).substr(0, end));
  state_->declared.usage = std::move(usage);
  state_->declared.description = std::move(summary);
}
Options::Options(Options&& other) noexcept = default;
Options& Options::operator=(Options&& other) noexcept = default;
Options::~Options() = default;

Options& Options::value(const std::string& name, const std::string& placeholder, const std::string& help,
                        const std::optional<std::string>& fallback) {
  return declare(name, {"", '\0', placeholder, help, fallback, false, {}});
}

Options& Options::values(const std::string& name, const std::string& placeholder, const std::string& help) {
  return declare(name, {"", '\0', placeholder, help, std::nullopt, true, {}});
}

Options& Options::optional_value(const std::string& name, const std::string& placeholder,
                                 const std::string& help) {
  return declare(name, {"", '\0', placeholder, help, std::nullopt, false, {}, true});
}

Options& Options::flag(const std::string& name, const std::string& help) {
  return declare(name, {"", '\0', "", help, std::nullopt, false, {}});
}

Options& Options::declare(const std::string& names, manual::OptionDescription option) {
  const std::size_t comma = names.find(',');
  option.name = names.substr(0, comma);
  if (comma != std::string::npos) option.letter = names.at(comma + 1);
  state_->last_declared = option.name;
  state_->declared.options.push_back(std::move(option));
  return *this;
}

Options& Options::positional(const std::string& name, int minimum, int maximum) {
  state_->positional_name = name;
  state_->positional_min = minimum;
  state_->positional_max = maximum;
  state_->last_declared.clear();
  state_->declared.positional = {positional_placeholder(state_->declared.usage), {}};
  return *this;
}

Options& Options::followed_by(const std::string& program) {
  state_->declared.program = program;
  return *this;
}

Options& Options::common() {
  state_->has_common_formats = true;
  return value("format", "text|json", "output format", "text").help_and_log_level();
}

Options& Options::help_and_log_level() {
  value("log-level", "LEVEL", "log level: trace, debug, info, warn, error or off", "warn")
      .known_words(base::log_levels);
  return flag("help,h", "print this help and exit");
}

Options& Options::known_words(Words words) {
  state_->words[state_->last_declared] = std::move(words);
  return *this;
}

Options& Options::example(const std::string& arguments, const std::string& meaning) {
  state_->declared.examples.push_back({arguments, meaning});
  return *this;
}

Options& Options::related(std::vector<std::string> commands) {
  state_->declared.related = std::move(commands);
  return *this;
}

std::string Options::help() const {
  const std::size_t width = text_output::terminal_width(stdout);
  return manual::help_text(state_->declared, width == 0 ? manual::kHelpColumns : width);
}

manual::CommandDescription Options::description() const {
  manual::CommandDescription described = state_->declared;
  for (manual::OptionDescription& option : described.options) {
    if (const auto words = state_->words.find(option.name); words != state_->words.end())
      option.words = words->second();
  }
  if (const auto words = state_->words.find(""); described.positional && words != state_->words.end())
    described.positional->words = words->second();
  return described;
}

std::vector<std::string> Options::option_names() const {
  std::vector<std::string> names;
  for (const manual::OptionDescription& option : state_->declared.options)
    names.push_back("--" + option.name);
  return names;
}

bool Options::parse(const std::vector<std::string>& arguments) {
  po::options_description all;
  all.add(parsed_options(state_->declared.options));
  po::positional_options_description positions;
  if (state_->positional_max != 0) {
    all.add_options()(state_->positional_name.c_str(), po::value<std::vector<std::string>>());
    positions.add(state_->positional_name.c_str(), -1);
  }
  const std::string see_help = fmt::format("; see warptune {} --help", state_->declared.name);
  namespace style = po::command_line_style;
  const int parse_style = style::unix_style & ~style::allow_guessing;
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positions).style(parse_style).run(),
              state_->parsed);
  } catch (const po::unknown_option& error) {
    throw base::InputError(fmt::format("unknown option {}{}{}", error.get_option_name(),
                                       base::did_you_mean(error.get_option_name(), option_names()),
                                       see_help));
  } catch (const po::too_many_positional_options_error&) {
    throw base::InputError("positional arguments are not expected here" + see_help);
  } catch (const po::error& error) {
    throw base::InputError(error.what() + see_help);
  }
  if (is_set("help")) {
    text_output::print_to(stdout, help());
    return false;
  }
  check_values();
  base::set_up_log(log_level());
  ::setenv(base::name_of(base::Variable::kLogLevel), log_level().c_str(), 1);  // Workers inherit it.
  return true;
}

void Options::check_values() const {
  if (state_->has_common_formats) choice_index("format", {"text", "json"});
  const int found = static_cast<int>(texts(state_->positional_name).size());
  if (found < state_->positional_min)
    throw base::InputError(
        fmt::format("{} is missing; usage: warptune {}", state_->positional_name, state_->declared.usage));
  if (state_->positional_max > 0 && found > state_->positional_max) {
    throw base::InputError(
        fmt::format("{} {} is expected, found {}: {}",
                    state_->positional_max == 1 ? "one" : fmt::format("at most {}", state_->positional_max),
                    state_->positional_name, found, fmt::join(texts(state_->positional_name), " ")));
  }
}

bool Options::has(const std::string& name) const { return is_set(name) && !state_->parsed[name].defaulted(); }

bool Options::is_set(const std::string& name) const { return state_->parsed.count(name) != 0; }

std::optional<std::string> Options::text(const std::string& name) const {
  if (!is_set(name)) return std::nullopt;
  return state_->parsed[name].as<std::string>();
}

std::optional<std::filesystem::path> Options::path(const std::string& name) const {
  if (text(name) == "") throw base::InputError("--" + name + ": expected a path, found an empty text");
  return text(name);  // A text converts to a path.
}

std::optional<std::filesystem::path> Options::output_path(const std::string& name) const {
  std::optional<std::filesystem::path> given = path(name);
  if (given) outputs::require_own_file(name, *given, state_->parsed);
  return given;
}

std::optional<std::filesystem::path> Options::folder(const std::string& name) const {
  std::optional<std::filesystem::path> given = path(name);
  std::error_code ignored;
  if (given && !std::filesystem::is_directory(*given, ignored))
    throw base::InputError(fmt::format("--{} {}: {}", name, given->string(),
                                       std::filesystem::exists(*given, ignored)
                                           ? "expected a folder, found a file"
                                           : "there is no such folder; make it, or correct the path"));
  return given;
}

std::string Options::required(const std::string& name) const {
  const std::vector<std::string> found = texts(name);
  if (found.empty()) throw base::InputError(name + " is missing");
  return found.front();
}

std::vector<std::string> Options::texts(const std::string& name) const {
  if (name.empty() || !is_set(name)) return {};
  return state_->parsed[name].as<std::vector<std::string>>();
}

std::optional<std::uint64_t> Options::integer(const std::string& name, std::int64_t minimum) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  const std::optional<model::Value> value = model::parse_value(*given, model::ValueType::kInteger);
  if (value && std::get<std::int64_t>(*value) >= minimum)
    return static_cast<std::uint64_t>(std::get<std::int64_t>(*value));
  const bool has_equals =
      std::any_of(state_->declared.options.begin(), state_->declared.options.end(),
                  [&](const auto& option) { return option.name == name && option.value_is_optional; });
  throw base::InputError(fmt::format("--{}{}{}: expected an integer, {} or more", name,
                                     has_equals ? "=" : " ", *given, minimum));
}

std::optional<std::size_t> Options::choice_index(const std::string& name,
                                                 const std::vector<std::string_view>& words) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *given);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  throw base::InputError(
      fmt::format("--{} {}: expected {}", name, *given, fmt::join(words, words.size() == 2 ? " or " : ", ")));
}

model::NamedValues Options::assignments(const std::string& name) const {
  model::NamedValues values;
  for (const std::string& given : texts(name)) {
    const std::size_t equal = given.find('=');
    if (equal == std::string::npos || equal == 0)
      throw base::InputError(fmt::format("--{} {}: expected NAME=VALUE", name, given));
    if (model::find(values, given.substr(0, equal)) != nullptr)
      throw base::InputError(fmt::format("--{} gives {} twice", name, given.substr(0, equal)));
    values.emplace_back(given.substr(0, equal), model::parse_value(given.substr(equal + 1)));
  }
  return values;
}

bool Options::json() const { return text("format") == "json"; }

std::string Options::log_level() const { return text("log-level").value_or("warn"); }

}  // namespace warptune::tuner::commands
