#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tests/search/strategies/strategy_runs.h"

// The contract that every strategy of the table must keep.

namespace warptune::search::strategies {
namespace {

using model::constraints;
using model::one_to;

class EachStrategy : public ::testing::TestWithParam<std::string> {
 protected:
  static std::vector<model::Configuration> whole_run(
      const model::Space& space, const StrategyOptions& options, std::size_t batch, std::size_t pending,
      const std::function<Observation(const model::Configuration&)>& evaluate) {
    return run(*make_strategy(GetParam(), space, options), batch, pending, evaluate);
  }
  static void expect_whole_space_once(const model::Space& space,
                                      const std::vector<model::Configuration>& asked) {
    EXPECT_EQ(asked.size(), space.size());
    const std::set<model::Configuration> distinct(asked.begin(), asked.end());
    EXPECT_EQ(distinct.size(), space.size());
    for (const model::Configuration& configuration : distinct) EXPECT_TRUE(space.contains(configuration));
  }
};

TEST_P(EachStrategy, UsesTheWholeSpaceOnceWhateverTheBatches) {
  const model::Space space = small_space();
  for (const std::size_t batch : {1U, 3U, 16U, 1000U}) {
    for (const std::size_t pending : {1U, 8U})
      expect_whole_space_once(space, whole_run(space, {}, batch, pending, bowl));
  }
}

TEST_P(EachStrategy, UsesTheWholeSpaceWhenEverythingFails) {
  const model::Space space = small_space();
  expect_whole_space_once(space, whole_run(space, {}, 4, 4, failing));
  expect_whole_space_once(space, whole_run(space, {}, 4, 4, half_failing));
}

TEST_P(EachStrategy, RepeatsFromItsSeed) {
  const model::Space space = small_space();
  StrategyOptions options;
  options.seed = 42;
  EXPECT_EQ(whole_run(space, options, 4, 8, half_failing), whole_run(space, options, 4, 8, half_failing));
}

TEST_P(EachStrategy, AsksFirstForWhatItIsGivenAndSkipsWhatIsInvalid) {
  const model::Space space = small_space();
  StrategyOptions options;
  options.first = {{3, 1, 2}, {5, 5, 0}, {3, 1, 2}, {0, 0, 1}};
  ASSERT_FALSE(space.contains(options.first[1]));
  const std::vector<model::Configuration> asked = whole_run(space, options, 1, 1, bowl);
  EXPECT_EQ(asked[0], options.first[0]);
  EXPECT_EQ(asked[1], options.first[3]);
  expect_whole_space_once(space, asked);
}

TEST_P(EachStrategy, NeverAsksForWhatItWasToldBefore) {
  const model::Space space = small_space();
  StrategyOptions options;
  options.first = {space.at(0), space.at(1)};
  const auto strategy = make_strategy(GetParam(), space, options);
  std::set<model::Configuration> told;
  for (std::uint64_t i = 0; i < space.size(); i += 2) {
    strategy->tell(half_failing(space.at(i)));
    told.insert(space.at(i));
  }
  const std::vector<model::Configuration> asked = run(*strategy, 3, 5, half_failing);
  EXPECT_EQ(asked.size(), space.size() - told.size());
  EXPECT_EQ(asked[0], space.at(1));
  for (const model::Configuration& configuration : asked) EXPECT_EQ(told.count(configuration), 0U);
}

TEST_P(EachStrategy, IgnoresObservationsFromOutsideTheSpace) {
  const model::Space space = small_space();
  const auto strategy = make_strategy(GetParam(), space, {});
  strategy->tell(bowl({5, 5, 0}));
  strategy->tell(bowl({99, 0, 0}));
  strategy->tell(bowl({0}));
  expect_whole_space_once(space, run(*strategy, 4, 4, bowl));
}

TEST_P(EachStrategy, HasNothingToAskOfAnEmptySpace) {
  const model::Space space({model::one_to("a", 3)}, model::constraints({"a > 3"}));
  EXPECT_TRUE(make_strategy(GetParam(), space, {})->ask(4).empty());
}

TEST_P(EachStrategy, EndsInASpaceOfOne) {
  const model::Space space({model::one_to("a", 1)}, {});
  expect_whole_space_once(space, whole_run(space, {}, 4, 4, bowl));
}

TEST_P(EachStrategy, WorksInAHugeSpace) {
  std::vector<model::Parameter> parameters;
  for (int p = 0; p < 12; ++p) parameters.push_back(model::one_to("p" + std::to_string(p), 20));
  const model::Space space(parameters, model::constraints({"p0 < p1"}));
  const auto strategy = make_strategy(GetParam(), space, {});
  std::set<model::Configuration> distinct;
  for (int step = 0; step < 100; ++step) {
    for (const model::Configuration& configuration : strategy->ask(2)) {
      EXPECT_TRUE(distinct.insert(configuration).second);
      strategy->tell(bowl(configuration));
    }
  }
  EXPECT_EQ(distinct.size(), 200U);
}

TEST_P(EachStrategy, UsesTheWholeSpaceWhateverTheObjectivesAre) {
  const model::Space space = small_space();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double objective : {0.0, 1.0, -3.0, 1e-310, 1e300, kInfinity, -kInfinity, std::nan("")}) {
    SCOPED_TRACE(objective);
    const auto constant = [&](const model::Configuration& c) {
      return Observation{c, model::Status::kMeasured, objective};
    };
    expect_whole_space_once(space, whole_run(space, {}, 2, 5, constant));
    const auto mixed = [&](const model::Configuration& c) { return c[2] % 2 == 0 ? constant(c) : bowl(c); };
    expect_whole_space_once(space, whole_run(space, {}, 2, 5, mixed));
  }
}

TEST_P(EachStrategy, UsesTheWholeSpaceWhenEverythingOrAllButOneIsDropped) {
  const model::Space space = small_space();
  const auto dropped = [](const model::Configuration& c) {
    return Observation{c, model::Status::kDropped, c[0] == 3 ? std::nan("") : bowl(c).objective};
  };
  expect_whole_space_once(space, whole_run(space, {}, 4, 8, dropped));
  const auto one_measured = [&](const model::Configuration& c) {
    return c == model::Configuration{1, 1, 1} ? Observation{c, model::Status::kMeasured, 100.0} : dropped(c);
  };
  expect_whole_space_once(space, whole_run(space, {}, 4, 8, one_measured));
}

TEST_P(EachStrategy, AcceptsResultsThatComeLateAndInAnyOrder) {
  const model::Space space = small_space();
  const auto strategy = make_strategy(GetParam(), space, {});
  std::vector<model::Configuration> asked;
  std::vector<model::Configuration> open;
  base::Random random(7);
  while (true) {
    const std::vector<model::Configuration> next = strategy->ask(5);
    asked.insert(asked.end(), next.begin(), next.end());
    open.insert(open.end(), next.begin(), next.end());
    if (open.empty()) break;
    random.shuffle(open);
    for (std::size_t tells = std::max<std::size_t>(1, open.size() / 2); tells > 0; --tells) {
      strategy->tell(half_failing(open.back()));
      open.pop_back();
    }
  }
  expect_whole_space_once(space, asked);
}

TEST_P(EachStrategy, NeedsNoBudgetAsLargeAsItsStartSet) {
  const model::Space space = small_space();
  for (const std::uint64_t budget : {0U, 1U, 3U, 5U}) {
    StrategyOptions options;
    options.evaluations = budget;
    const auto strategy = make_strategy(GetParam(), space, options);
    std::set<model::Configuration> distinct;
    for (std::uint64_t i = 0; i < budget; ++i) {
      const std::vector<model::Configuration> asked = strategy->ask(1);
      ASSERT_EQ(asked.size(), 1U);
      EXPECT_TRUE(distinct.insert(asked.front()).second);
      strategy->tell(bowl(asked.front()));
    }
    // The caller ends the run, not the strategy.
    expect_whole_space_once(space, whole_run(space, options, 2, 4, bowl));
  }
}

TEST_P(EachStrategy, HasNothingToAskWhenItWasToldEverything) {
  const model::Space space = small_space();
  const auto strategy = make_strategy(GetParam(), space, {});
  for (std::uint64_t i = 0; i < space.size(); ++i) strategy->tell(bowl(space.at(i)));
  EXPECT_TRUE(strategy->ask(3).empty());
}

TEST_P(EachStrategy, AcceptsTheSameResultTwice) {
  const model::Space space = small_space();
  const auto strategy = make_strategy(GetParam(), space, {});
  std::vector<model::Configuration> asked;
  while (true) {
    const std::vector<model::Configuration> next = strategy->ask(1);
    if (next.empty()) break;
    asked.push_back(next.front());
    strategy->tell(bowl(next.front()));
    strategy->tell({next.front(), model::Status::kMeasured, bowl(next.front()).objective * 0.9});
  }
  expect_whole_space_once(space, asked);
}

TEST_P(EachStrategy, WorksWithTenThousandValuesOfOneParameter) {
  const model::Space space({model::one_to("a", 10000), model::one_to("b", 3)},
                           model::constraints({"a % 2 == 0 || b == 1"}));
  StrategyOptions options;
  options.evaluations = 100;
  const auto strategy = make_strategy(GetParam(), space, options);
  std::set<model::Configuration> distinct;
  for (int step = 0; step < 25; ++step) {
    for (const model::Configuration& configuration : strategy->ask(4)) {
      EXPECT_TRUE(space.contains(configuration));
      EXPECT_TRUE(distinct.insert(configuration).second);
      strategy->tell(half_failing(configuration));
    }
  }
  EXPECT_EQ(distinct.size(), 100U);
}

TEST_P(EachStrategy, WorksInASpaceOfATrillionWithoutListingIt) {
  std::vector<model::Parameter> parameters;
  for (int p = 0; p < 4; ++p) parameters.push_back(model::one_to("p" + std::to_string(p), 1000));
  const model::Space space(parameters, model::constraints({"p0 != p1"}));
  ASSERT_GT(space.size(), 900'000'000'000U);
  StrategyOptions options;
  options.evaluations = 60;
  const auto strategy = make_strategy(GetParam(), space, options);
  std::set<model::Configuration> distinct;
  for (int step = 0; step < 60; ++step) {
    const std::vector<model::Configuration> asked = strategy->ask(1);
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_TRUE(distinct.insert(asked.front()).second);
    strategy->tell(bowl(asked.front()));
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, EachStrategy, ::testing::ValuesIn(strategy_names()),
                         [](const auto& parameter) { return parameter.param; });

TEST(Strategies, StateWhatTheyDoAndWhereTheyComeFrom) {
  for (const StrategyInfo& info : strategy_table()) {
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
  }
}

RC_GTEST_PROP(StrategyProperty, AnyMixOfAskingAndTellingKeepsTheContract, (std::uint64_t seed)) {
  base::Random random(seed);
  const model::Space space(
      {model::one_to("a", 1 + static_cast<std::int64_t>(random.below(7))),
       model::one_to("b", 1 + static_cast<std::int64_t>(random.below(7))), model::one_to("c", 3)},
      model::constraints({"a != b || c == 1"}));
  const std::vector<std::string> all = strategy_names();
  StrategyOptions options;
  options.seed = seed;
  const auto strategy = make_strategy(all[random.below(all.size())], space, options);
  std::set<model::Configuration> seen;
  std::vector<model::Configuration> open;
  while (seen.size() < space.size() || !open.empty()) {
    if (random.below(8) == 0) {
      const model::Configuration unasked = space.sample(random);
      if (seen.insert(unasked).second) strategy->tell(half_failing(unasked));
    }
    const std::vector<model::Configuration> asked = strategy->ask(random.below(5));
    for (const model::Configuration& configuration : asked) RC_ASSERT(seen.insert(configuration).second);
    open.insert(open.end(), asked.begin(), asked.end());
    random.shuffle(open);
    for (std::uint64_t tells = random.below(5); tells > 0 && !open.empty(); --tells) {
      strategy->tell(half_failing(open.back()));
      open.pop_back();
    }
  }
  RC_ASSERT(strategy->ask(1).empty());
}

}  // namespace
}  // namespace warptune::search::strategies
