#include "model/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "tests/model/spaces.h"

namespace warptune::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Space gemm_like() {
  return Space({integers("BM", {32, 64, 128}), integers("BN", {32, 64, 128}), integers("TM", {2, 4, 8}),
                integers("TN", {2, 4, 8}), integers("UNROLL", {1, 2, 4})},
               {{Expression::parse("BM * BN / (TM * TN) <= 1024"), "a block has at most 1024 threads"},
                {Expression::parse("BM * BN / (TM * TN) >= 32"), ""}});
}

std::string message_of(std::vector<Parameter> parameters, std::vector<Constraint> rules,
                       NamedValues constants = {}) {
  try {
    const Space space(std::move(parameters), std::move(rules), std::move(constants));
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Space, WithoutConstraintsIsTheProduct) {
  const Space space({one_to("a", 3), one_to("b", 4)}, {});
  EXPECT_EQ(space.size(), 12U);
  EXPECT_EQ(space.cartesian_size(), 12U);
  EXPECT_EQ(space.node_count(), 2U);
}

TEST(Space, MayBeEmpty) {
  const Space space({one_to("a", 3), one_to("b", 3)}, constraints({"a * b > 9"}));
  EXPECT_EQ(space.size(), 0U);
  EXPECT_FALSE(space.contains({0, 0}));
  EXPECT_TRUE(space.neighbours({0, 0}, Neighbourhood::kHamming).empty());
  EXPECT_EQ(Space({one_to("a", 3)}, constraints({"N > 9"}), {{"N", std::int64_t{1}}}).size(), 0U);
  EXPECT_EQ(Space({one_to("a", 3)}, constraints({"a / 0 == 1"})).size(), 0U);
}

TEST(Space, TakesAnEvaluationErrorAsNotMet) {
  const Space space({integers("a", {0, 1, 2}), integers("b", {0, 1, 2})}, constraints({"a % b == 0"}));
  EXPECT_EQ(space.size(), 5U);
  EXPECT_EQ(Space({integers("a", {0, 1, 2})}, constraints({"a == 0 || 2 / a == 2"})).size(), 2U);
}

TEST(Space, SeesWhatRegroupingASumDecides) {
  const Space never({integers("a", {-3}), integers("d", {16, -1, 2})},
                    constraints({"max(3, a) + (a + d) < d"}));
  EXPECT_EQ(never.size(), 0U);
  const Space always({integers("a", {-3}), integers("d", {16, -1, 2})},
                     constraints({"max(3, a) + (a + d) <= d", "d > 0"}));
  EXPECT_EQ(always.size(), 2U);
}

TEST(Space, TakesValuesInAnyOrder) {
  const Space space({integers("a", {7, 1, 9, 3, 5}), integers("b", {4, 2, 8, 6})},
                    constraints({"a * b <= 20"}));
  std::vector<Configuration> all;
  space.for_each([&all](const Configuration& configuration) {
    all.push_back(configuration);
    return true;
  });
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all,
            (std::vector<Configuration>{
                {0, 1}, {1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 0}, {3, 1}, {3, 3}, {4, 0}, {4, 1}}));
}

TEST(Space, UsesConstantsAndText) {
  const Space space(
      {integers("V", {1, 2, 4, 8}), {"LOAD", {std::string("ldg"), std::string("ldcs")}, "", {}}},
      constraints({"V * sizeof(dtype) <= 16", "LOAD == 'ldg' || V == 1"}), {{"dtype", std::string("f64")}});
  EXPECT_EQ(space.size(), 3U);
}

TEST(Space, RefusesConfigurationsThatAreNotOfItsShape) {
  const Space space({one_to("a", 3), one_to("b", 3)}, {});
  EXPECT_FALSE(space.contains({}));
  EXPECT_FALSE(space.contains({0, 3}));
  EXPECT_FALSE(space.contains({0, 0, 0}));
  EXPECT_THROW(space.at(9), base::InternalError);
}

TEST(Space, DrawsEveryConfigurationAboutEquallyOften) {
  const Space space({one_to("a", 4), one_to("b", 4)}, constraints({"a <= b"}));
  ASSERT_EQ(space.size(), 10U);
  std::array<int, 10> counts{};
  base::Random random(3);
  for (int i = 0; i < 20000; ++i) ++counts[*space.index_of(space.sample(random))];
  for (const int count : counts) EXPECT_NEAR(count, 2000, 250);
}

TEST(Space, MovesToTheNextValidValueEitherWay) {
  const Space space({one_to("a", 9), one_to("b", 2)}, constraints({"a % 3 == 0 || b == 2"}));
  EXPECT_THAT(space.neighbours({5, 0}, Neighbourhood::kAdjacent),
              ElementsAre(Configuration{2, 0}, Configuration{8, 0}, Configuration{5, 1}));
  EXPECT_EQ(space.neighbours({5, 1}, Neighbourhood::kHamming).size(), 9U);
}

TEST(Space, TranslatesConfigurationsToNamesAndBack) {
  const Space space = gemm_like();
  const Configuration configuration = space.at(7);
  const NamedValues values = space.values_of(configuration);
  EXPECT_EQ(values.front().first, "BM");
  EXPECT_EQ(space.configuration_of(values), configuration);
  NamedValues changed = values;
  changed[0].first = "BMM";
  EXPECT_THAT(space.configuration_of(changed).error(),
              HasSubstr("'BMM' is not a parameter (did you mean BM"));
  changed = values;
  changed[0].second = std::int64_t{33};
  EXPECT_EQ(space.configuration_of(changed).error(),
            "parameter 'BM' has no value 33, expected one of 32 64 128");
  changed = values;
  changed.pop_back();
  EXPECT_EQ(space.configuration_of(changed).error(), "parameter 'UNROLL' is missing");
  changed = values;
  changed[1] = changed[0];
  EXPECT_EQ(space.configuration_of(changed).error(), "parameter 'BM' is given twice");
}

TEST(Space, TakesAWholeNumberForAReal) {
  const Space space({{"ALPHA", {0.5, 1.0}, "", {}}}, {});
  EXPECT_EQ(space.configuration_of({{"ALPHA", std::int64_t{1}}}), Configuration{1});
}

TEST(Space, SaysWhichConstraintIsBrokenAndWhy) {
  const Space space = gemm_like();
  EXPECT_EQ(space.broken_constraint({2, 2, 0, 0, 0}),
            "'BM * BN / (TM * TN) <= 1024' is not met: a block has at most 1024 threads");
  EXPECT_EQ(space.broken_constraint({0, 0, 2, 2, 0}), "'BM * BN / (TM * TN) >= 32' is not met");
  EXPECT_EQ(space.broken_constraint(space.at(0)), std::nullopt);
  EXPECT_EQ(Space({integers("a", {0, 1})}, constraints({"1 / a == 1"})).broken_constraint({0}),
            "'1 / a == 1' cannot be evaluated (division by zero in '1 / a')");
}

TEST(Space, CountsRejectionsOfUniformDraws) {
  const Space space({one_to("a", 10), one_to("b", 10)}, constraints({"a <= 5", "b <= 9", "true"}));
  const std::vector<std::uint64_t> rejections = space.count_rejections(10000, 1);
  EXPECT_NEAR(static_cast<double>(rejections[0]), 5000, 300);
  EXPECT_NEAR(static_cast<double>(rejections[1]), 1000, 200);
  EXPECT_EQ(rejections[2], 0U);
  EXPECT_EQ(rejections, space.count_rejections(10000, 1));
}

TEST(Space, HashFollowsParametersValuesAndConstraints) {
  const std::string hash = Space({one_to("a", 3)}, constraints({"a < 3"})).hash();
  EXPECT_EQ(Space({one_to("a", 3)}, constraints({"a < 3"})).hash(), hash);
  EXPECT_NE(Space({one_to("a", 4)}, constraints({"a < 3"})).hash(), hash);
  EXPECT_NE(Space({one_to("b", 3)}, constraints({"b < 3"})).hash(), hash);
  EXPECT_NE(Space({one_to("a", 3)}, constraints({"a < 4"})).hash(), hash);
}

TEST(Space, RefusesBadParametersAtTheirPosition) {
  EXPECT_THAT(message_of({}, {}), HasSubstr("at least one parameter"));
  EXPECT_EQ(message_of({{"a", {}, "", {"k.cu", 4, 1}}}, {}), "k.cu:4:1: parameter 'a' has no values");
  EXPECT_EQ(message_of({{"a", {std::int64_t{1}, 2.0}, "", {"k.cu", 4, 1}}}, {}),
            "k.cu:4:1: parameter 'a' has values of several types: 1 is integer, 2.0 is real");
  EXPECT_EQ(message_of({integers("a", {1, 2, 1})}, {}), "parameter 'a' has the value 1 twice");
  EXPECT_EQ(message_of({one_to("a", 2), one_to("a", 3)}, {}), "parameter 'a' is given twice");
  EXPECT_THAT(message_of({one_to("N", 2)}, {}, {{"N", std::int64_t{1}}}),
              HasSubstr("has the name of a problem entry"));
}

TEST(Space, PointsAtAnUnknownNameInAConstraint) {
  const Constraint constraint{Expression::parse("BLOCK * UNROL <= N", {"k.cu", 9, 5}), ""};
  EXPECT_EQ(message_of({one_to("BLOCK", 2), one_to("UNROLL", 2)}, {constraint}, {{"N", std::int64_t{1}}}),
            "k.cu:9:13: 'UNROL' is neither a parameter nor a known name (did you mean UNROLL, N?)");
}

// 128^4 combinations; the diagram must follow the distinct products only. The bounds are some twenty times
// what it takes.
TEST(Space, CountsAJointProductWithoutWalkingTheCartesianProduct) {
  const auto start = std::chrono::steady_clock::now();
  const Space space({one_to("a", 128), one_to("b", 128), one_to("c", 128), one_to("d", 128)},
                    constraints({"d * (a * (c * b)) <= 100000"}));
  EXPECT_EQ(space.size(), 8803921U);
  EXPECT_LT(space.node_count(), 2000U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Space, HoldsExactlyTheListedConfigurations) {
  const std::vector<Parameter> parameters = {one_to("a", 3), one_to("b", 2), one_to("c", 4)};
  const Space space = Space::listed(parameters, {{2, 1, 3}, {0, 0, 0}, {2, 0, 3}, {0, 0, 0}, {1, 1, 2}});
  EXPECT_EQ(space.size(), 4U);
  std::vector<Configuration> all;
  for (std::uint64_t i = 0; i < space.size(); ++i) all.push_back(space.at(i));
  EXPECT_EQ(all, (std::vector<Configuration>{{0, 0, 0}, {1, 1, 2}, {2, 0, 3}, {2, 1, 3}}));
  EXPECT_EQ(space.index_of({2, 0, 3}), 2U);
  EXPECT_FALSE(space.contains({2, 0, 2}));
  EXPECT_EQ(space.broken_constraint({2, 0, 2}), "it is not in the list of configurations");
  EXPECT_EQ(space.neighbours({2, 0, 3}, Neighbourhood::kHamming), (std::vector<Configuration>{{2, 1, 3}}));
  EXPECT_EQ(Space::listed(parameters, {}).size(), 0U);
  EXPECT_NE(space.hash(), Space(parameters, {}).hash());
  EXPECT_THROW(Space::listed(parameters, {{0, 2, 0}}), base::InputError);
  EXPECT_THROW(Space::listed(parameters, {{0, 0}}), base::InputError);
}

TEST(Space, NamesEveryConstraintThatIsBroken) {
  const Space space({one_to("a", 4), one_to("b", 4)}, constraints({"a < b", "a + b == 5", "a > 0"}));
  EXPECT_TRUE(space.broken_constraints({0, 3}).empty());
  EXPECT_EQ(space.broken_constraints({3, 3}).size(), 2U);  // 4 and 4.
  EXPECT_EQ(space.broken_constraints({3, 0}).size(), 1U);
  EXPECT_EQ(space.broken_constraint({3, 3}), space.broken_constraints({3, 3}).front());
}

TEST(Space, AConstraintMayRaiseOneParameterToThePowerOfAnother) {
  const Space space({one_to("a", 4), one_to("b", 4)}, constraints({"pow(a, b) <= 16"}));
  EXPECT_EQ(space.size(), 4U + 4U + 2U + 2U);  // 1^1..4, 2^1..4, 3^1..2, 4^1..2.
}

}  // namespace
}  // namespace warptune::model
