// Strategies over spaces whose diagrams leave out constraints, and over spaces with more than 2^64
// configurations.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/space.h"
#include "search/strategy.h"
#include "tests/model/random_spaces.h"

namespace warptune::search::strategies {
namespace {

RC_GTEST_PROP(LimitedSpaceProperty, StrategiesAskForEachValidConfigurationOnce, (std::uint64_t seed)) {
  const model::RandomSpace random_space(seed);
  const model::Space space = model::Space(random_space.parameters, model::constraints(random_space.texts),
                                          {{"C", std::int64_t{5}}}, {1, std::size_t{1} << 30});
  const std::vector<model::Configuration> valid = random_space.valid_by_force(space);
  for (const StrategyInfo& info : strategy_table()) {
    if (valid.size() > 300) continue;
    const std::unique_ptr<Strategy> strategy = info.make(space, {seed, {}, {}, {}});
    std::multiset<model::Configuration> asked;
    for (std::vector<model::Configuration> next = strategy->ask(5); !next.empty(); next = strategy->ask(5)) {
      for (const model::Configuration& configuration : next) {
        asked.insert(configuration);
        strategy->tell({configuration, model::Status::kMeasured, 1.0 + configuration.front()});
      }
    }
    RC_ASSERT(asked == std::multiset<model::Configuration>(valid.begin(), valid.end()));
  }
}

std::vector<model::Parameter> thirty_parameters() {
  std::vector<model::Parameter> parameters;
  for (int p = 0; p < 30; ++p) parameters.push_back(model::one_to("p" + std::to_string(p), 10));
  return parameters;
}

TEST(LargeSpace, IsAskedForDifferentConfigurationsBeyondSixtyFourBits) {
  const model::Space space(thirty_parameters(), model::constraints({"p0 != p1"}));
  for (const StrategyInfo& info : strategy_table()) {
    const std::unique_ptr<Strategy> strategy = info.make(space, {1, {}, std::nullopt, {}});
    std::set<model::Configuration> asked;
    for (int i = 0; i < 200; ++i) {
      for (const model::Configuration& configuration : strategy->ask(1)) {
        EXPECT_TRUE(asked.insert(configuration).second) << info.name;
        strategy->tell({configuration, model::Status::kMeasured, 1.0 + configuration[3]});
      }
    }
    EXPECT_EQ(asked.size(), 200U) << info.name;
  }
}

TEST(LargeSpace, InWhichNothingIsFoundIsAskedForNothing) {
  const std::vector<model::Parameter> parameters = {model::one_to("a", 512), model::one_to("b", 512),
                                                    model::one_to("c", 512)};
  const model::Space space(parameters, model::constraints({"(a + b * c) * 4 % 8 == 2"}), {},
                           {1000, std::size_t{1} << 30});
  ASSERT_GT(space.size(), 0U);
  const std::unique_ptr<Strategy> strategy = make_strategy("random", space, {1, {}, {}, {}});
  EXPECT_TRUE(strategy->ask(1).empty());
}

}  // namespace
}  // namespace warptune::search::strategies
