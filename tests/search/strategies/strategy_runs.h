#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "search/strategy.h"
#include "tests/model/spaces.h"

// Small spaces, objectives and runs that the tests of strategies share.
namespace warptune::search::strategies {

inline model::Space small_space() {
  return model::Space({model::one_to("a", 6), model::one_to("b", 6), model::one_to("c", 4)},
                      model::constraints({"a * b <= 18"}));
}

inline Observation bowl(const model::Configuration& configuration) {
  double objective = 1.0;
  for (std::size_t p = 0; p < configuration.size(); ++p) objective += std::pow(configuration[p] - 2.0, 2.0);
  return {configuration, model::Status::kMeasured, objective};
}
inline Observation failing(const model::Configuration& configuration) {
  return {configuration, model::Status::kCompileFailed, 0.0};
}
inline Observation half_failing(const model::Configuration& configuration) {
  return (configuration[0] + configuration[1]) % 2 == 0 ? bowl(configuration) : failing(configuration);
}

// Asks in batches and tells with up to `pending` evaluations open, oldest first, until the strategy is
// exhausted.
inline std::vector<model::Configuration> run(
    Strategy& strategy, std::size_t batch, std::size_t pending,
    const std::function<Observation(const model::Configuration&)>& evaluate) {
  std::vector<model::Configuration> asked;
  std::deque<model::Configuration> open;
  while (true) {
    const std::vector<model::Configuration> next = strategy.ask(batch);
    EXPECT_LE(next.size(), batch);
    if (next.empty() && open.empty()) return asked;
    asked.insert(asked.end(), next.begin(), next.end());
    open.insert(open.end(), next.begin(), next.end());
    while (!open.empty() && (open.size() >= pending || next.empty())) {
      strategy.tell(evaluate(open.front()));
      open.pop_front();
    }
  }
}

inline std::vector<std::string> strategy_names() {
  std::vector<std::string> all;
  for (const StrategyInfo& info : strategy_table()) all.emplace_back(info.name);
  return all;
}

}  // namespace warptune::search::strategies
