#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "search/strategy.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/detail/json_forms.h"
#include "tuner/terminal.h"
#include "tuner/text_table.h"

namespace warptune::tuner::cli {

namespace {

struct StrategiesOptions {
  bool json = false;
};

std::optional<StrategiesOptions> parse_strategies(const std::vector<std::string>& arguments) {
  Options options("strategies", "Lists the search strategies.");
  options.common();
  if (!options.parse(arguments)) return std::nullopt;
  return StrategiesOptions{options.json()};
}

int list_strategies(const StrategiesOptions& options) {
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  TextTable table({"strategy", "summary", "source"});
  for (const search::StrategyInfo& strategy : search::strategies()) {
    table.add({std::string(strategy.name), std::string(strategy.summary), std::string(strategy.source)});
    report.push_back(
        {{"strategy", strategy.name}, {"summary", strategy.summary}, {"source", strategy.source}});
  }
  if (options.json) {
    print_out("{}\n", detail::to_text(report));
  } else {
    print_out("{}", table.text());
  }
  return 0;
}

}  // namespace

int run_strategies(const std::vector<std::string>& arguments) {
  const std::optional<StrategiesOptions> options = parse_strategies(arguments);
  return options ? list_strategies(*options) : 0;
}

}  // namespace warptune::tuner::cli
