// Spaces larger than diagrams or 64 bits hold, and deep or long ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/diagrams/group_diagrams.h"
#include "model/space.h"
#include "tests/model/random_spaces.h"
#include "tests/sanitizers.h"

namespace warptune::model {
namespace {

using ::testing::ElementsAre;

// Few enough evaluations that most conditions over several parameters are left out.
Space limited(const RandomSpace& random_space, std::uint64_t evaluations) {
  return Space(random_space.parameters, constraints(random_space.texts), {{"C", std::int64_t{5}}},
               {evaluations, std::size_t{1} << 30});
}

RC_GTEST_PROP(LimitedSpaceProperty, HoldsWhatBruteForceFindsWhateverIsLeftOut, (std::uint64_t seed)) {
  const RandomSpace random_space(seed);
  const Space space = limited(random_space, seed % 3 == 0 ? 1 : 1 + seed % 200);
  const std::vector<Configuration> valid = random_space.valid_by_force(space);
  RC_ASSERT(std::llround(space.estimated_size()) == static_cast<long long>(valid.size()));
  std::vector<Configuration> visited;
  space.for_each([&visited](const Configuration& configuration) {
    visited.push_back(configuration);
    return true;
  });
  std::sort(visited.begin(), visited.end());
  RC_ASSERT(visited == valid);
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.at(i);
    const bool good = std::binary_search(valid.begin(), valid.end(), configuration);
    RC_ASSERT(space.contains(configuration) == good);
    RC_ASSERT(!good || space.index_of(configuration) == i);
    found += good ? 1 : 0;
  }
  RC_ASSERT(found == valid.size());
  RC_ASSERT(!space.is_exact() || space.size() == valid.size());
}

RC_GTEST_PROP(LimitedSpaceProperty, DrawsMovesAndProjectsOntoValidConfigurations, (std::uint64_t seed)) {
  const RandomSpace random_space(seed);
  const Space space = limited(random_space, 1);
  const Space exact = limited(random_space, std::uint64_t{1} << 25);
  RC_ASSERT(exact.is_exact());
  RC_PRE(exact.size() > 0U);
  base::Random random(seed);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Configuration centre = space.sample(random);
    RC_ASSERT(exact.contains(centre));
    for (const Neighbourhood kind : {Neighbourhood::kAdjacent, Neighbourhood::kHamming})
      RC_ASSERT(space.neighbours(centre, kind) == exact.neighbours(centre, kind));
    const std::vector<double> there(centre.begin(), centre.end());
    RC_ASSERT(space.nearest(there) == centre);
    std::vector<double> anywhere;
    for (const Parameter& parameter : space.parameters())
      anywhere.push_back(random.unit() * static_cast<double>(parameter.values.size()));
    RC_ASSERT(exact.contains(space.nearest(anywhere)));
  }
}

// Every combination is a state of its own: 64^10 of them.
Space hashed_space(const std::string& more = "true", const SpaceLimits& limits = {}) {
  std::vector<Parameter> parameters;
  std::string sum = "0";
  for (int p = 0; p < 10; ++p) {
    const std::string name = "p" + std::to_string(p);
    parameters.push_back(one_to(name, 64));
    sum = "(" + sum + " * 31 + " + name + " * " + name + ") % 1000003";
  }
  return Space(parameters, constraints({sum + " % 3 == 0", "p0 <= p1", more}), {}, limits);
}

TEST(LargeSpace, LeavesOutAnUnpredictableConstraintAndKeepsTheOthers) {
  const Space space = hashed_space();
  EXPECT_FALSE(space.is_exact());
  EXPECT_THAT(space.left_out(), ElementsAre(0));
  const double others = std::pow(64.0, 8) * 64 * 65 / 2;
  EXPECT_EQ(static_cast<double>(space.size()), others);
  EXPECT_NEAR(space.estimated_size() / others, 1.0 / 3.0, 0.02);
  EXPECT_LT(space.memory_bytes(), 100000U);
  base::Random random(1);
  std::set<Configuration> drawn;
  for (int i = 0; i < 100; ++i) {
    const Configuration configuration = space.sample(random);
    EXPECT_EQ(space.broken_constraint(configuration), std::nullopt);
    EXPECT_TRUE(space.contains(configuration));
    drawn.insert(configuration);
  }
  EXPECT_EQ(drawn.size(), 100U);
}

TEST(LargeSpace, ComesCloseToTheNearestWhereAConstraintIsLeftOut) {
  const Space space = hashed_space();
  base::Random random(2);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<double> positions;
    for (int p = 0; p < 10; ++p) positions.push_back(8.0 + 40.0 * random.unit());
    if (positions[0] > positions[1]) std::swap(positions[0], positions[1]);
    const Configuration found = space.nearest(positions);
    EXPECT_TRUE(space.contains(found));
    double away = 0.0;
    for (std::size_t p = 0; p < 10; ++p) away += std::abs(found[p] - positions[p]);
    EXPECT_LT(away, 10 * 0.5 + 4.0);  // A third is valid: rounding, then a step or two.
  }
}

TEST(LargeSpace, EndsWhereNothingMeetsWhatIsLeftOut) {
  const std::vector<Parameter> parameters = {one_to("a", 512), one_to("b", 512), one_to("c", 512)};
  const SpaceLimits limits{1000, std::size_t{1} << 30};
  EXPECT_EQ(Space(parameters, constraints({"a * b * c % 4 == 4"}), {}, limits).size(),
            0U);  // By bounds.
  const Space space(parameters, constraints({"(a + b * c) * 4 % 8 == 2"}), {}, limits);
  EXPECT_GT(space.size(), 0U);
  EXPECT_EQ(space.estimated_size(), 0.0);
  base::Random random(1);
  EXPECT_THROW(space.sample(random), base::WorkError);
}

std::vector<Parameter> many(int count, std::int64_t values) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < count; ++p) parameters.push_back(one_to("p" + std::to_string(p), values));
  return parameters;
}

// How far the share of each value of a parameter is from even, at most, over `draws`.
double unevenness(const Space& space, std::size_t parameter, int draws) {
  base::Random random(1);
  std::vector<int> seen(space.parameters()[parameter].values.size(), 0);
  for (int i = 0; i < draws; ++i) {
    const Configuration configuration = space.sample(random);
    EXPECT_TRUE(space.contains(configuration));
    ++seen[configuration[parameter]];
  }
  double worst = 0.0;
  for (const int count : seen)
    worst = std::max(worst, std::abs(count * static_cast<double>(seen.size()) / draws - 1.0));
  return worst;
}

// Each value of a deep level is tested against up to 19 constraints, and nearly all values pass.
TEST(LargeSpace, GivesUpSoonWhereManyConstraintsAreEquallyHard) {
  std::vector<std::string> texts;
  for (int a = 0; a < 20; ++a) {
    for (int b = 0; b < a; ++b)
      texts.push_back(fmt::format("(p{} * {} + p{} * {}) % 97 != {}", a, 3 + a, b, 5 + b, a));
  }
  const Space space(many(20, 1000), constraints(texts));
  const std::clock_t start = std::clock();
  EXPECT_FALSE(space.is_exact());
  const double cpu_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  // It takes 2 s. It took 11 s when each test of a value cost the same, however long it was.
  EXPECT_LT(cpu_seconds, tests::kAddressSanitizer ? 40.0 : 8.0);
  EXPECT_GT(space.build_ms(), 0.0);
  base::Random random(1);
  EXPECT_TRUE(space.contains(space.sample(random)));
}

TEST(LargeSpace, SamplesUniformlyWhereTheGroupsTogetherExceedSixtyFourBits) {
  const Space space(many(30, 10), constraints({"p0 != p1"}));
  EXPECT_EQ(space.size(), UINT64_MAX);
  EXPECT_EQ(space.cartesian_size(), UINT64_MAX);
  EXPECT_NEAR(space.estimated_size(), 0.9e30, 1e20);
  for (const std::size_t parameter : {0U, 1U, 2U, 29U}) EXPECT_LT(unevenness(space, parameter, 20000), 0.12);
}

TEST(LargeSpace, SamplesUniformlyWhereOneGroupExceedsSixtyFourBits) {
  std::vector<std::string> texts;
  for (int p = 1; p < 40; ++p) texts.push_back("p" + std::to_string(p - 1) + " != p" + std::to_string(p));
  const Space space(many(40, 10), constraints(texts));
  EXPECT_EQ(space.size(), UINT64_MAX);
  EXPECT_NEAR(space.estimated_size() / (10.0 * std::pow(9.0, 39)), 1.0, 1e-9);
  for (const std::size_t parameter : {0U, 20U, 39U}) EXPECT_LT(unevenness(space, parameter, 20000), 0.12);
}

TEST(LargeSpace, NamesConfigurationsByHashBeyondSixtyFourBits) {
  const Space space(many(30, 10), constraints({"p0 != p1"}));
  std::set<std::uint64_t> names;
  std::set<Configuration> drawn;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Configuration configuration = space.at(i);
    EXPECT_EQ(space.at(i), configuration);
    drawn.insert(configuration);
    names.insert(space.index_of(configuration).value());
  }
  EXPECT_EQ(drawn.size(), 1000U);
  EXPECT_EQ(names.size(), 1000U);
  Configuration broken = space.at(0);
  broken[0] = broken[1];
  EXPECT_FALSE(space.contains(broken));
}

TEST(LargeSpace, TakesAChainOfAThousandParameters) {
  std::vector<std::string> texts;
  for (int p = 1; p < 1000; ++p) texts.push_back("p" + std::to_string(p - 1) + " <= p" + std::to_string(p));
  const Space space(many(1000, 2), constraints(texts));
  EXPECT_EQ(space.size(), 1001U);
  EXPECT_EQ(space.index_of(space.at(500)), 500U);
  std::vector<double> positions(1000, 1.0);
  positions[0] = 0.0;
  Configuration expected(1000, 1);
  expected[0] = 0;
  EXPECT_EQ(space.nearest(positions), expected);
}

TEST(LargeSpace, TakesTenThousandValuesOfAParameter) {
  const Space space({one_to("a", 10000), one_to("b", 10000)}, constraints({"a * b <= 10000"}));
  EXPECT_EQ(space.size(), 93668U);  // The sum of the divisor counts up to 10000.
  EXPECT_EQ(space.neighbours({0, 0}, Neighbourhood::kHamming).size(), 2U * 9999U);
  std::vector<std::int64_t> values;
  for (std::int64_t value = 0; value < 10000; ++value) values.push_back(value);
  values.push_back(4321);
  try {
    const Space repeated({integers("a", values)}, {});
    FAIL() << "accepted";
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(), "parameter 'a' has the value 4321 twice");
  }
  const base::Result<Configuration> unknown =
      space.configuration_of({{"a", std::int64_t{0}}, {"b", std::int64_t{1}}});
  EXPECT_LT(unknown.error().size(), 400U);
}

TEST(LargeSpace, HoldsOnePoint) {
  const Space space({integers("a", {7}), integers("b", {1, 2})}, constraints({"a * b == 14"}));
  EXPECT_EQ(space.size(), 1U);
  EXPECT_EQ(space.at(0), (Configuration{0, 1}));
  EXPECT_TRUE(space.neighbours({0, 1}, Neighbourhood::kHamming).empty());
  EXPECT_EQ(space.nearest(std::vector<double>{5.0, -3.0}), (Configuration{0, 1}));
}

TEST(LargeSpace, TakesOverflowAsNotMet) {
  const Space space({integers("a", {1, 4611686018427387904}), integers("b", {1, 2, 3})},
                    constraints({"a * b > 0"}));
  EXPECT_EQ(space.size(), 4U);
  EXPECT_EQ(*space.broken_constraint({1, 1}), "'a * b > 0' cannot be evaluated (overflow in 'a * b')");
}

// A condition for each pair of twenty parameters with a thousand values; no diagram can solve them.
std::vector<std::string> pairwise_conditions() {
  std::vector<std::string> texts;
  for (int i = 1; i < 20; ++i)
    for (int j = 0; j < i; ++j)
      texts.push_back(fmt::format("(P{} * {} + P{} * {}) % 97 != {}", i, 3 + i, j, 5 + j, i));
  return texts;
}

std::vector<Parameter> twenty_long_parameters() {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 20; ++i) parameters.push_back(one_to(fmt::format("P{}", i), 1000));
  return parameters;
}

TEST(HardSpace, OfVeryManyConditionsIsGivenUpAfterFewAttempts) {
  const std::vector<Parameter> parameters = twenty_long_parameters();
  const diagrams::GroupDiagrams built = diagrams::build_groups(parameters, constraints(pairwise_conditions()),
                                                               {}, {1 << 12, std::size_t{1} << 28});
  EXPECT_EQ(built.left_out.size(), 190U);
  EXPECT_LE(built.attempts, 20U);
}

TEST(HardSpace, IsNotBuiltForWhatItsConstraintsCanAnswer) {
  const auto cpu_s = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const double start = cpu_s();
  const Space space(twenty_long_parameters(), constraints(pairwise_conditions()));
  const Configuration all_ones(20, 0);
  EXPECT_EQ(space.contains(all_ones), space.broken_constraints(all_ones).empty());
  EXPECT_EQ(space.parameters().size(), 20U);
  EXPECT_LT(cpu_s() - start, 1.0);  // Building takes several times that.
}

RC_GTEST_PROP(SpaceProperty, ContainsTheSameBeforeAndAfterItsDiagramsAreBuilt, (std::uint64_t seed)) {
  const RandomSpace random_space(seed);
  const Space fresh(random_space.parameters, constraints(random_space.texts), {{"C", std::int64_t{5}}});
  const Space built(random_space.parameters, constraints(random_space.texts), {{"C", std::int64_t{5}}});
  static_cast<void>(built.size());
  base::Random random(seed);
  for (int draw = 0; draw < 50; ++draw) {
    Configuration configuration;
    for (const Parameter& parameter : random_space.parameters)
      configuration.push_back(
          static_cast<std::uint32_t>(random.below(parameter.values.size() + (draw % 10 == 0 ? 1 : 0))));
    RC_ASSERT(fresh.contains(configuration) == built.contains(configuration));
  }
  RC_ASSERT(!fresh.contains({}));
}

}  // namespace
}  // namespace warptune::model
