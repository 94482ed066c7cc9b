#include "search/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "search/strategies/frontier.h"
#include "tests/search/strategies/strategy_runs.h"

namespace warptune::search::strategies {
namespace {

using model::constraints;
using model::one_to;

TEST(Strategies, NameTheNearestWhenThereIsNoneOfAName) {
  try {
    make_strategy("randon", small_space(), {});
    FAIL() << "made";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("unknown strategy 'randon' (did you mean random"));
  }
}

TEST(Exhaustive, GoesByIndex) {
  const model::Space space = small_space();
  const std::vector<model::Configuration> asked = make_strategy("exhaustive", space, {})->ask(3);
  EXPECT_EQ(asked, (std::vector<model::Configuration>{space.at(0), space.at(1), space.at(2)}));
}

// A space of ten thousand indices, one in a hundred of which is valid. Its diagrams leave out the constraint.
model::Space sparse_space() {
  return model::Space({model::one_to("a", 100), model::one_to("b", 100)},
                      model::constraints({"a * (b - 1) == 0"}), {}, {1, 1});
}

TEST(FrontierOfASparseSpace, CountsMissesInARowFromTheLastValidIndexEvenIfItIsKnown) {
  const model::Space space = sparse_space();
  ASSERT_FALSE(space.is_exact());
  Frontier frontier(space, {}, 150);
  for (std::uint32_t a = 0; a < 50; ++a) ASSERT_TRUE(frontier.claim({a, 0}));
  EXPECT_EQ(frontier.claim_next(), (model::Configuration{50, 0}));
}

TEST(FrontierOfASparseSpace, GivesUpAfterSoManyMissesInARow) {
  const model::Space space = sparse_space();
  Frontier frontier(space, {}, 50);
  ASSERT_TRUE(frontier.claim({0, 0}));
  EXPECT_EQ(frontier.claim_next(), std::nullopt);
}

TEST(RandomSearch, DrawsEveryConfigurationFirstAboutEquallyOften) {
  const model::Space space({model::one_to("a", 5), model::one_to("b", 2)}, {});
  std::vector<int> counts(10, 0);
  StrategyOptions options;
  for (options.seed = 0; options.seed < 5000; ++options.seed) {
    ++counts[*space.index_of(make_strategy("random", space, options)->ask(1).front())];
  }
  for (const int count : counts) EXPECT_NEAR(count, 500, 110);
}

TEST(Auto, TakesEverythingWhereTheBudgetSuffices) {
  const model::Space space = small_space();
  StrategyOptions options;
  options.evaluations = space.size();
  EXPECT_EQ(make_strategy("auto", space, options)->ask(5),
            make_strategy("exhaustive", space, options)->ask(5));
  options.evaluations = space.size() - 1;
  EXPECT_EQ(make_strategy("auto", space, options)->ask(5),
            make_strategy("surrogate", space, options)->ask(5));
}

// The number of evaluations until the best configuration of a smooth space of 20^4 is found, at most `limit`.
std::size_t evaluations_to_best(const std::string& name, std::uint64_t seed, std::size_t limit) {
  const model::Space space(
      {model::one_to("a", 20), model::one_to("b", 20), model::one_to("c", 20), model::one_to("d", 20)},
      model::constraints({"a + b > 3"}));
  StrategyOptions options;
  options.seed = seed;
  const auto strategy = make_strategy(name, space, options);
  for (std::size_t count = 1; count < limit; ++count) {
    const Observation observation = bowl(strategy->ask(1).front());
    if (observation.objective == 1.0) return count;
    strategy->tell(observation);
  }
  return limit;
}

class EachDescendingStrategy : public ::testing::TestWithParam<std::string> {};

TEST_P(EachDescendingStrategy, FindsTheBestOfASmoothSpaceWhereChanceWouldNot) {
  double total = 0.0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    total += static_cast<double>(evaluations_to_best(GetParam(), seed, 2000));
  EXPECT_LT(total / 10.0, 400.0);  // Of 160,000.
}

INSTANTIATE_TEST_SUITE_P(Strategies, EachDescendingStrategy,
                         ::testing::Values("annealing", "differential_evolution", "genetic", "local_search"),
                         [](const auto& parameter) { return parameter.param; });

TEST(LocalSearch, LeavesALocalOptimumByKicksAndRestarts) {
  const model::Space space({model::one_to("a", 12), model::one_to("b", 12), model::one_to("c", 12)}, {});
  const auto ripples = [](const model::Configuration& c) {
    Observation observation = bowl(c);
    for (const std::uint32_t index : c) observation.objective += index % 3 == 2 ? 0.0 : 20.0;
    return observation;
  };
  const auto strategy = make_strategy("local_search", space, {});
  double best = 1e9;
  for (int i = 0; i < 400; ++i) {
    const Observation observation = ripples(strategy->ask(1).front());
    best = std::min(best, observation.objective);
    strategy->tell(observation);
  }
  EXPECT_EQ(best, 1.0);
}

TEST(LocalSearch, NeverTakesADroppedConfigurationForTheBest) {
  const model::Space space = small_space();
  const auto strategy = make_strategy("local_search", space, {});
  const auto dropping = [](const model::Configuration& c) {
    Observation observation = bowl(c);
    if (observation.objective > 3.0)
      observation = {c, model::Status::kDropped, c[0] % 2 == 0 ? 0.5 : std::nan("")};
    return observation;
  };
  EXPECT_EQ(run(*strategy, 2, 4, dropping).size(), space.size());
}

TEST(LocalSearch, DescendsWhereEverythingFarFromTheBestIsDropped) {
  const model::Space space(
      {model::one_to("a", 20), model::one_to("b", 20), model::one_to("c", 20), model::one_to("d", 20)}, {});
  double total = 0.0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    StrategyOptions options;
    options.seed = seed;
    const auto strategy = make_strategy("local_search", space, options);
    double incumbent = 1e9;
    int count = 0;
    for (; count < 1000 && incumbent > 1.0; ++count) {
      Observation observation = bowl(strategy->ask(1).front());
      if (observation.objective > 1.2 * incumbent) observation.status = model::Status::kDropped;
      incumbent = std::min(incumbent, observation.objective);
      strategy->tell(observation);
    }
    total += count;
  }
  EXPECT_LT(total / 10.0, 400.0);
}

TEST(LocalSearch, StartsADescentFromADroppedConfiguration) {
  // A plateau next to the default is a trap. The best is far away, and all configurations before it are
  // dropped.
  const model::Space space({model::one_to("a", 40), model::one_to("b", 40)}, {});
  StrategyOptions options;
  options.first = {{39, 39}};
  const auto rate = [](const model::Configuration& c) {
    Observation observation = bowl(c);
    if (c[0] == 39 && c[1] == 39) return Observation{c, model::Status::kMeasured, 1.5};
    if (observation.objective > 1.5) observation.status = model::Status::kDropped;
    return observation;
  };
  const auto strategy = make_strategy("local_search", space, options);
  int count = 0;
  for (double best = 1e9; best > 1.0; ++count) {
    const Observation observation = rate(strategy->ask(1).front());
    best = std::min(best, observation.objective);
    strategy->tell(observation);
  }
  EXPECT_LT(count, 400);  // Of 1600.
}

}  // namespace
}  // namespace warptune::search::strategies
