#include "model/diagrams/level_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/model/expressions/formulas.h"
#include "tests/model/spaces.h"

namespace warptune::model::diagrams {
namespace {

using expressions::Expressions;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Shape = LevelCheck::Shape;

class LevelPlanTest : public ::testing::Test {
 protected:
  /// The plans for conditions over a, b and c, chosen in this order.
  std::vector<LevelPlan> plan(const std::vector<std::string>& conditions) {
    roots_.clear();
    for (const std::string& condition : conditions) roots_.push_back(expressions_.add(condition));
    return plan_levels(expressions_.formula(), roots_, std::vector<std::uint32_t>{0, 1, 2});
  }

  std::vector<std::uint32_t> live(const LevelPlan& level) {
    std::vector<std::uint32_t> nodes;
    for (const LiveNode& node : level.live) nodes.push_back(node.node);
    return nodes;
  }

  std::vector<Parameter> parameters_ = {one_to("a", 4), integers("b", {8, 2, 4}), one_to("c", 4)};
  Expressions expressions_{parameters_, {0, 1, 2}};
  std::vector<std::uint32_t> roots_;
};

TEST_F(LevelPlanTest, ValuesAreTriedByNumber) {
  const std::vector<LevelPlan> plans = plan({"a < b"});
  EXPECT_THAT(plans[0].steps, ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(plans[0].ascending);
  EXPECT_THAT(plans[1].steps, ElementsAre(1, 2, 0));
  EXPECT_FALSE(plans[1].ascending);
}

TEST_F(LevelPlanTest, TextsAreTriedAsTheyStand) {
  Parameter layout;
  layout.name = "layout";
  layout.values = {std::string("tn"), std::string("nn")};
  const std::vector<Parameter> parameters = {layout};
  Expressions expressions(parameters, {0});
  const std::vector<std::uint32_t> roots = {expressions.add("layout == \"nn\"")};
  const auto plans = plan_levels(expressions.formula(), roots, std::vector<std::uint32_t>{0});
  EXPECT_THAT(plans[0].steps, ElementsAre(0, 1));
}

TEST_F(LevelPlanTest, AMonotoneConditionBoundsEveryLevelOfIt) {
  const std::vector<LevelPlan> plans = plan({"a * b * c <= 16"});
  for (std::size_t level = 0; level < 3; ++level) {
    ASSERT_THAT(plans[level].bounds, SizeIs(1)) << level;
    EXPECT_EQ(plans[level].bounds[0].shape, Shape::kUpToSomewhere);
    EXPECT_EQ(plans[level].bounds[0].complete, level == 2);
    EXPECT_EQ(plans[level].bounds[0].intervals.empty(), level == 2);
    EXPECT_THAT(plans[level].tests, IsEmpty());
  }
  EXPECT_EQ(plan({"a * b >= 16 - c"})[1].bounds[0].shape, Shape::kFromSomewhere);
}

TEST_F(LevelPlanTest, AnEqualityBoundsARangeWhereItsSidesPassEachOther) {
  EXPECT_EQ(plan({"a * b == c + 3"})[1].bounds.at(0).shape, Shape::kEqualRising);
  EXPECT_EQ(plan({"c + 3 == a * b"})[1].bounds.at(0).shape, Shape::kEqualFalling);
}

TEST_F(LevelPlanTest, WhatIsNotMonotoneIsTestedWhereItIsComplete) {
  const std::vector<LevelPlan> plans = plan({"b % a == 0"});
  EXPECT_THAT(plans[0].bounds, IsEmpty());
  EXPECT_THAT(plans[0].interval_checks, SizeIs(1));
  EXPECT_THAT(plans[1].bounds, IsEmpty());
  ASSERT_THAT(plans[1].tests, SizeIs(1));
  EXPECT_TRUE(plans[1].tests[0].complete);
  EXPECT_EQ(plans[1].tests[0].exact.back().node, roots_[0]);
}

TEST_F(LevelPlanTest, ASubExpressionThatTwoTestsShareIsComputedOnce) {
  const std::vector<LevelPlan> plans = plan({"b % a == 0", "b % a != 1 && c > 0"});
  std::size_t times = 0;
  const std::uint32_t shared = expressions_.add("b % a");
  for (const LevelCheck& test : plans[1].tests) {
    for (const ExactStep& step : test.exact) times += step.node == shared ? 1 : 0;
  }
  EXPECT_EQ(times, 1U);
}

TEST_F(LevelPlanTest, OnlyWhatLaterLevelsNeedIsLive) {
  const std::vector<LevelPlan> plans = plan({"a * b * c <= 16"});
  EXPECT_THAT(live(plans[0]), ElementsAre(expressions_.add("a")));
  EXPECT_THAT(live(plans[1]), ElementsAre(expressions_.add("a * b")));
  EXPECT_THAT(plans[2].live, IsEmpty());
  EXPECT_THAT(plans[0].live[0].users, ElementsAre(1U));
}

TEST_F(LevelPlanTest, StatesMergeWhereWhatIsLiveDoesNotTellTheChoicesApart) {
  const std::vector<LevelPlan> product = plan({"a * b * c <= 16"});
  EXPECT_FALSE(product[0].merges);
  EXPECT_TRUE(product[1].merges);
  const std::vector<LevelPlan> apart = plan({"a % c + b % c < 3"});
  EXPECT_FALSE(apart[0].merges);
  EXPECT_FALSE(apart[1].merges);
}

TEST_F(LevelPlanTest, WhatLaterLevelsEncloseIsPreparedOnce) {
  const std::vector<LevelPlan> plans = plan({"(a + c) * b <= 16"});
  ASSERT_THAT(plans[1].prepare, SizeIs(1));
  EXPECT_EQ(plans[1].prepare[0].node, expressions_.add("a + c"));
  EXPECT_THAT(plans[1].prepare[0].from,
              ElementsAre(IntervalStep::Source::kCell, IntervalStep::Source::kStatic, ::testing::_));
}

TEST_F(LevelPlanTest, QuickIsIntegerArithmeticThatCannotFail) {
  const std::uint32_t sum = expressions_.add("a + b");
  const std::uint32_t quotient = expressions_.add("a / (b - c)");
  const std::uint32_t real = expressions_.add("a * 0.5 + b");
  const std::uint32_t power = expressions_.add("pow(a, b) > 3");
  const std::vector<bool> quick = quick_nodes(expressions_.formula());
  EXPECT_TRUE(quick[sum]);
  EXPECT_FALSE(quick[quotient]);  // b - c may be 0.
  EXPECT_FALSE(quick[real]);
  EXPECT_FALSE(quick[power]);
}

}  // namespace
}  // namespace warptune::model::diagrams
