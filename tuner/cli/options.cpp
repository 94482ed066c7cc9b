#include "tuner/cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

namespace warptune::tuner::cli {

namespace po = boost::program_options;

Options::Options(std::string usage, std::string summary)
    : usage_(std::move(usage)), summary_(std::move(summary)), visible_("Options", 100) {}

Options& Options::value(const std::string& name, const std::string& placeholder, const std::string& help,
                        std::optional<std::string> fallback) {
  auto* semantic = po::value<std::string>()->value_name(placeholder);
  if (fallback) semantic->default_value(*fallback);
  visible_.add_options()(name.c_str(), semantic, help.c_str());
  return *this;
}

Options& Options::values(const std::string& name, const std::string& placeholder, const std::string& help) {
  visible_.add_options()(name.c_str(),
                         po::value<std::vector<std::string>>()->value_name(placeholder)->composing(),
                         help.c_str());
  return *this;
}

Options& Options::flag(const std::string& name, const std::string& help) {
  visible_.add_options()(name.c_str(), help.c_str());
  return *this;
}

Options& Options::positional(const std::string& name, int least, int most) {
  positional_name_ = name;
  positional_least_ = least;
  positional_most_ = most;
  return *this;
}

Options& Options::common() {
  value("format", "text|json", "form of the output", "text");
  value("log-level", "LEVEL", "trace, debug, info, warn, error or off", "warn");
  return flag("help,h", "print this and exit");
}

Options& Options::database() {
  return value("db", "FILE", "the database; default $XDG_DATA_HOME/warptune/warptune.db");
}

std::string Options::help() const {
  std::ostringstream options;
  options << visible_;
  return fmt::format("Usage: warptune {} [options]\n\n{}\n\n{}", usage_, summary_, options.str());
}

std::vector<std::string> Options::option_names() const {
  std::vector<std::string> names;
  for (const auto& option : visible_.options()) names.push_back("--" + option->long_name());
  return names;
}

bool Options::parse(const std::vector<std::string>& arguments) {
  po::options_description all;
  all.add(visible_);
  po::positional_options_description positions;
  if (positional_most_ != 0) {
    all.add_options()(positional_name_.c_str(), po::value<std::vector<std::string>>());
    positions.add(positional_name_.c_str(), -1);
  }
  const std::string pointer = fmt::format("; see warptune {} --help", usage_.substr(0, usage_.find(' ')));
  namespace style = po::command_line_style;
  const int parse_style = style::unix_style & ~style::allow_guessing;
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positions).style(parse_style).run(),
              parsed_);
  } catch (const po::unknown_option& error) {
    throw base::InputError(fmt::format("unknown option {}{}{}", error.get_option_name(),
                                       base::did_you_mean(error.get_option_name(), option_names()), pointer));
  } catch (const po::too_many_positional_options_error&) {
    throw base::InputError("nothing is expected here without an option" + pointer);
  } catch (const po::error& error) {
    throw base::InputError(error.what() + pointer);
  }
  if (is_set("help")) {
    std::cout << help();
    return false;
  }
  check_values();
  const std::string level = text("log-level").value_or("warn");
  base::set_up_log(level);
  ::setenv("WARPTUNE_LOG_LEVEL", level.c_str(), 1);  // For the workers.
  return true;
}

void Options::check_values() const {
  const std::string format = text("format").value_or("text");
  const bool formats_known = format == "text" || format == "json";
  const bool own_formats =
      std::any_of(visible_.options().begin(), visible_.options().end(), [](const auto& option) {
        return option->long_name() == "format" &&
               option->format_parameter().find("text|json") == std::string::npos;
      });
  if (!formats_known && !own_formats)
    throw base::InputError(fmt::format("--format {}: expected text or json", format));
  const int found = static_cast<int>(texts(positional_name_).size());
  if (found < positional_least_)
    throw base::InputError(fmt::format("{} is missing: warptune {}", positional_name_, usage_));
  if (positional_most_ > 0 && found > positional_most_) {
    throw base::InputError(fmt::format("one {} is expected, found {}: {}", positional_name_, found,
                                       fmt::join(texts(positional_name_), " ")));
  }
}

std::optional<std::string> Options::text(const std::string& name) const {
  if (parsed_.count(name) == 0) return std::nullopt;
  return parsed_[name].as<std::string>();
}

std::string Options::required(const std::string& name) const {
  const std::vector<std::string> found = texts(name);
  if (found.empty()) throw base::InputError(name + " is missing");
  return found.front();
}

std::vector<std::string> Options::texts(const std::string& name) const {
  if (name.empty() || parsed_.count(name) == 0) return {};
  return parsed_[name].as<std::vector<std::string>>();
}

std::optional<std::uint64_t> Options::number(const std::string& name) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  const std::optional<search::Value> value = search::parse_value(*given, search::ValueType::kInteger);
  if (!value || std::get<std::int64_t>(*value) < 0) {
    throw base::InputError(fmt::format("--{} {}: expected an integer, 0 or more", name, *given));
  }
  return static_cast<std::uint64_t>(std::get<std::int64_t>(*value));
}

search::NamedValues Options::assignments(const std::string& name) const {
  search::NamedValues values;
  for (const std::string& given : texts(name)) {
    const std::size_t equal = given.find('=');
    if (equal == std::string::npos || equal == 0)
      throw base::InputError(fmt::format("--{} {}: expected NAME=VALUE", name, given));
    if (search::find(values, given.substr(0, equal)) != nullptr) {
      throw base::InputError(fmt::format("--{} gives {} twice", name, given.substr(0, equal)));
    }
    values.emplace_back(given.substr(0, equal), search::parse_value(given.substr(equal + 1)));
  }
  return values;
}

}  // namespace warptune::tuner::cli
