#include "tuner/commands/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdlib>
#include <sstream>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace po = boost::program_options;

struct Options::State {
  std::string usage;
  std::string summary;
  po::options_description visible{"Options", 100};
  std::string positional_name;
  int positional_min = 0;
  int positional_max = 0;
  bool has_common_formats = false;
  po::variables_map parsed;
};

Options::Options(std::string usage, std::string summary) : state_(std::make_unique<State>()) {
  state_->usage = std::move(usage);
  state_->summary = std::move(summary);
}
Options::Options(Options&& other) noexcept = default;
Options& Options::operator=(Options&& other) noexcept = default;
Options::~Options() = default;

Options& Options::value(const std::string& name, const std::string& placeholder, const std::string& help,
                        const std::optional<std::string>& fallback) {
  auto* semantic = po::value<std::string>()->value_name(placeholder);
  if (fallback) semantic->default_value(*fallback);
  state_->visible.add_options()(name.c_str(), semantic, help.c_str());
  return *this;
}

Options& Options::values(const std::string& name, const std::string& placeholder, const std::string& help) {
  auto* semantic = po::value<std::vector<std::string>>()->value_name(placeholder)->composing();
  state_->visible.add_options()(name.c_str(), semantic, help.c_str());
  return *this;
}

Options& Options::flag(const std::string& name, const std::string& help) {
  state_->visible.add_options()(name.c_str(), help.c_str());
  return *this;
}

Options& Options::positional(const std::string& name, int minimum, int maximum) {
  state_->positional_name = name;
  state_->positional_min = minimum;
  state_->positional_max = maximum;
  return *this;
}

Options& Options::common() {
  state_->has_common_formats = true;
  return value("format", "text|json", "output format", "text").help_and_log_level();
}

Options& Options::help_and_log_level() {
  value("log-level", "LEVEL", "what is logged: trace, debug, info, warn, error or off", "warn");
  return flag("help,h", "print this help and exit");
}

Options& Options::database() {
  return value("db", "FILE", "database; default: $XDG_DATA_HOME/warptune/warptune.db");
}

std::string Options::help() const {
  std::ostringstream options;
  options << state_->visible;
  return fmt::format("Usage: warptune {} [options]\n\n{}\n\n{}", state_->usage, state_->summary,
                     options.str());
}

std::vector<std::string> Options::option_names() const {
  std::vector<std::string> names;
  for (const auto& option : state_->visible.options()) names.push_back("--" + option->long_name());
  return names;
}

bool Options::parse(const std::vector<std::string>& arguments) {
  po::options_description all;
  all.add(state_->visible);
  po::positional_options_description positions;
  if (state_->positional_max != 0) {
    all.add_options()(state_->positional_name.c_str(), po::value<std::vector<std::string>>());
    positions.add(state_->positional_name.c_str(), -1);
  }
  const std::string pointer =
      fmt::format("; see warptune {} --help", state_->usage.substr(0, state_->usage.find(' ')));
  namespace style = po::command_line_style;
  const int parse_style = style::unix_style & ~style::allow_guessing;
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positions).style(parse_style).run(),
              state_->parsed);
  } catch (const po::unknown_option& error) {
    throw base::InputError(fmt::format("unknown option {}{}{}", error.get_option_name(),
                                       base::did_you_mean(error.get_option_name(), option_names()), pointer));
  } catch (const po::too_many_positional_options_error&) {
    throw base::InputError("positional arguments are not expected here" + pointer);
  } catch (const po::error& error) {
    throw base::InputError(error.what() + pointer);
  }
  if (is_set("help")) {
    text_output::print_to(stdout, help());
    return false;
  }
  check_values();
  base::set_up_log(log_level());
  ::setenv("WARPTUNE_LOG_LEVEL", log_level().c_str(), 1);  // For the workers.
  return true;
}

void Options::check_values() const {
  if (state_->has_common_formats) choice_index("format", {"text", "json"});
  const int found = static_cast<int>(texts(state_->positional_name).size());
  if (found < state_->positional_min)
    throw base::InputError(fmt::format("{} is missing: warptune {}", state_->positional_name, state_->usage));
  if (state_->positional_max > 0 && found > state_->positional_max) {
    throw base::InputError(fmt::format("one {} is expected, found {}: {}", state_->positional_name, found,
                                       fmt::join(texts(state_->positional_name), " ")));
  }
}

bool Options::has(const std::string& name) const { return is_set(name) && !state_->parsed[name].defaulted(); }

bool Options::is_set(const std::string& name) const { return state_->parsed.count(name) != 0; }

std::optional<std::string> Options::text(const std::string& name) const {
  if (!is_set(name)) return std::nullopt;
  return state_->parsed[name].as<std::string>();
}

std::optional<std::filesystem::path> Options::path(const std::string& name) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  return std::filesystem::path(*given);
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

std::optional<std::uint64_t> Options::number(const std::string& name) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  const std::optional<model::Value> value = model::parse_value(*given, model::ValueType::kInteger);
  if (!value || std::get<std::int64_t>(*value) < 0) {
    throw base::InputError(fmt::format("--{} {}: expected an integer, 0 or more", name, *given));
  }
  return static_cast<std::uint64_t>(std::get<std::int64_t>(*value));
}

std::optional<std::uint64_t> Options::positive_number(const std::string& name) const {
  const std::optional<std::uint64_t> value = number(name);
  if (value == 0U) throw base::InputError(fmt::format("--{} 0: expected 1 or more", name));
  return value;
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
    if (model::find(values, given.substr(0, equal)) != nullptr) {
      throw base::InputError(fmt::format("--{} gives {} twice", name, given.substr(0, equal)));
    }
    values.emplace_back(given.substr(0, equal), model::parse_value(given.substr(equal + 1)));
  }
  return values;
}

bool Options::json() const { return text("format") == "json"; }

std::string Options::log_level() const { return text("log-level").value_or("warn"); }

}  // namespace warptune::tuner::commands
