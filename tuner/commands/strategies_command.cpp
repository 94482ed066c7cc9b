#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "search/strategy.h"
#include "tuner/commands/command.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::commands {

namespace {

struct StrategiesOptions {
  bool json = false;
};

Options declare_strategies() {
  Options options("strategies", "Lists the search strategies.");
  options.common();
  options.example("strategies", "Lists the strategies that tune and replay take.")
      .related({"replay", "tune"});
  return options;
}

std::optional<StrategiesOptions> parse_strategies(const std::vector<std::string>& arguments) {
  Options options = declare_strategies();
  if (!options.parse(arguments)) return std::nullopt;
  return StrategiesOptions{options.json()};
}

int list_strategies(const StrategiesOptions& options) {
  nlohmann::ordered_json report = json_output::json_head("strategies");
  report["strategies"] = nlohmann::ordered_json::array();
  text_output::TextTable table({"strategy", "summary", "source"});
  for (const search::StrategyInfo& strategy : search::strategy_table()) {
    table.add({std::string(strategy.name), std::string(strategy.summary), std::string(strategy.source)});
    report["strategies"].push_back(
        {{"strategy", strategy.name}, {"summary", strategy.summary}, {"source", strategy.source}});
  }
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(report));
  } else {
    text_output::print_text("{}", table.text());
  }
  return 0;
}

int run_strategies(const std::vector<std::string>& arguments) {
  const std::optional<StrategiesOptions> options = parse_strategies(arguments);
  return options ? list_strategies(*options) : 0;
}

}  // namespace

Command strategies_command() {
  return {"strategies", "list the search strategies and their sources", run_strategies,
          [] { return declare_strategies().description(); }};
}

}  // namespace warptune::tuner::commands
