#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/strategy.h"
#include "tests/model/spaces.h"

namespace warptune::search::strategies {
namespace {

using model::one_to;

constexpr std::uint64_t kSeeds = 5;

model::Space wide_space() {
  return model::Space({model::one_to("a", 20), model::one_to("b", 12), model::one_to("c", 16)}, {});
}

// A bowl whose minimum is not in the middle, with steps across it.
double time_of(const model::Configuration& configuration) {
  const auto x = static_cast<double>(configuration[0]);
  const auto y = static_cast<double>(configuration[1]);
  const auto z = static_cast<double>(configuration[2]);
  return 100.0 + std::pow(x - 17, 2) + std::pow(y - 5, 2) + 2 * std::abs(z - 11) +
         (configuration[0] % 4 == 1 ? 0 : 6);
}

// The number of evaluations until the time is within 5 % of the best.
std::size_t evaluations_to_best(const std::string& name, StrategyOptions options, std::size_t maximum = 150) {
  const model::Space space = wide_space();
  const std::unique_ptr<Strategy> strategy = make_strategy(name, space, options);
  for (std::size_t i = 1; i <= maximum; ++i) {
    const model::Configuration configuration = strategy->ask(1).front();
    const double time = time_of(configuration);
    if (time <= 105.0) return i;
    strategy->tell({configuration, model::Status::kMeasured, time});
  }
  return maximum;
}

double median_to_best(const std::string& name, const std::vector<Observation>& source) {
  std::vector<std::size_t> counts;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    StrategyOptions options;
    options.seed = seed;
    options.source = source;
    counts.push_back(evaluations_to_best(name, options));
  }
  std::sort(counts.begin(), counts.end());
  return static_cast<double>(counts[counts.size() / 2]);
}

// The same bowl on another GPU: slower and a little moved. `misleading`: times of other configurations.
std::vector<Observation> elsewhere(bool misleading) {
  const model::Space space = wide_space();
  base::Random random(5);
  std::vector<Observation> source;
  for (int i = 0; i < 200; ++i) {
    const model::Configuration configuration = space.sample(random);
    model::Configuration moved = misleading ? space.sample(random) : configuration;
    if (!misleading && moved[1] > 0) --moved[1];
    source.push_back({configuration, model::Status::kMeasured, 3.0 * time_of(moved)});
  }
  return source;
}

TEST(Surrogate, FindsTheBestOfASmoothSpaceWithAFractionOfTheEvaluationsOfOthers) {
  const double own = median_to_best("surrogate", {});
  EXPECT_LT(own, 40);
  EXPECT_LT(2 * own, median_to_best("random", {}));
}

TEST(Surrogate, FollowsASourceThatAgrees) {
  EXPECT_LT(median_to_best("surrogate", elsewhere(false)), median_to_best("surrogate", {}));
}

TEST(Surrogate, LosesLittleByAMisleadingSource) {
  EXPECT_LE(median_to_best("surrogate", elsewhere(true)), median_to_best("surrogate", {}) + 5);
}

TEST(Surrogate, ExpectsLessGainTheMoreItKnows) {
  const model::Space space = wide_space();
  const std::unique_ptr<Strategy> strategy = make_strategy("surrogate", space, {});
  EXPECT_FALSE(strategy->expected_gain(10).has_value());
  std::optional<double> early;
  for (int i = 0; i < 80; ++i) {
    for (const model::Configuration& configuration : strategy->ask(1))
      strategy->tell({configuration, model::Status::kMeasured, time_of(configuration)});
    if (i == 12) early = strategy->expected_gain(10);
  }
  ASSERT_TRUE(early && strategy->expected_gain(10));
  EXPECT_GT(*early, 0.05);
  EXPECT_LT(*strategy->expected_gain(10), 0.2 * *early);
  EXPECT_LE(*strategy->expected_gain(1), *strategy->expected_gain(10));
}

TEST(Surrogate, SpreadsABatchThatIsAskedForAtOnce) {
  const model::Space space = wide_space();
  const std::unique_ptr<Strategy> strategy = make_strategy("surrogate", space, {});
  for (const model::Configuration& configuration : strategy->ask(12))
    strategy->tell({configuration, model::Status::kMeasured, time_of(configuration)});
  const std::vector<model::Configuration> batch = strategy->ask(16);
  std::set<std::uint32_t> seconds;
  std::set<std::uint32_t> thirds;
  for (const model::Configuration& configuration : batch) {
    seconds.insert(configuration[1]);
    thirds.insert(configuration[2]);
  }
  EXPECT_EQ(std::set<model::Configuration>(batch.begin(), batch.end()).size(), 16U);
  EXPECT_GE(seconds.size() + thirds.size(), 8U);
}

TEST(Surrogate, AvoidsWhatFails) {
  const model::Space space = wide_space();
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    StrategyOptions options;
    options.seed = seed;
    const std::unique_ptr<Strategy> strategy = make_strategy("surrogate", space, options);
    for (int i = 0; i < 40; ++i) {
      const model::Configuration configuration = strategy->ask(1).front();
      const bool fails = configuration[2] < 8;  // Half of the space.
      if (fails) ++failed;
      strategy->tell({configuration, fails ? model::Status::kLaunchFailed : model::Status::kMeasured,
                      time_of(configuration)});
    }
  }
  EXPECT_LT(failed, 0.42 * 40 * kSeeds);  // A random choice would give 0.5.
}

// A constraint similar to a hash, which the diagrams leave out. A draw costs at least a thousand checks.
TEST(Surrogate, EndsNoSearchInASpaceThatIsHardToDraw) {
  const model::Space space(
      {model::one_to("a", 64), model::one_to("b", 64), model::one_to("c", 64), model::one_to("d", 64)},
      model::constraints({"(a * 7919 + b * 104729 + c * 1299709 + d * 15485863) % 1009 == 5"}), {},
      model::SpaceLimits{1000, 1 << 20});
  ASSERT_FALSE(space.is_exact());
  const std::unique_ptr<Strategy> strategy = make_strategy("surrogate", space, {});
  std::set<model::Configuration> seen;
  for (int i = 0; i < 40; ++i) {
    for (const model::Configuration& configuration : strategy->ask(1)) {
      EXPECT_TRUE(space.contains(configuration));
      EXPECT_TRUE(seen.insert(configuration).second);
      strategy->tell({configuration, model::Status::kMeasured, 100.0 + configuration[0]});
    }
  }
  EXPECT_EQ(seen.size(), 40U);
}

TEST(Surrogate, SaysItsExpectationsAsSharesWhereObjectivesAreNegative) {
  const model::Space space = wide_space();
  const std::unique_ptr<Strategy> strategy = make_strategy("surrogate", space, {});
  for (int i = 0; i < 30; ++i) {
    for (const model::Configuration& configuration : strategy->ask(1))
      strategy->tell({configuration, model::Status::kMeasured, -1e6 + time_of(configuration)});
  }
  ASSERT_TRUE(strategy->expected_gain(1));
  EXPECT_LT(*strategy->expected_gain(1),
            1e-3);  // The gain is in the hundreds, the objective about a million.
}

TEST(AutoStrategy, GoesOnWithLocalSearchWithoutRepeatingItself) {
  const model::Space space = wide_space();
  StrategyOptions options;
  options.evaluations = 500;
  const std::unique_ptr<Strategy> strategy = make_strategy("auto", space, options);
  std::set<model::Configuration> seen;
  while (seen.size() < 500) {
    const std::vector<model::Configuration> asked = strategy->ask(8);
    ASSERT_FALSE(asked.empty());
    for (const model::Configuration& configuration : asked) {
      EXPECT_TRUE(seen.insert(configuration).second);
      strategy->tell({configuration, model::Status::kMeasured, time_of(configuration)});
    }
  }
  EXPECT_TRUE(seen.count({17, 5, 11}) == 1);
}

}  // namespace
}  // namespace warptune::search::strategies
