#include "tuner/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace warptune::tuner {
namespace {

TEST(BudgetTest, ANumberCountsEvaluations) {
  const Budget budget = Budget::parse("200");
  EXPECT_EQ(budget.evaluations, 200U);
  EXPECT_FALSE(budget.seconds.has_value());
  EXPECT_EQ(budget.text, "200");
}

TEST(BudgetTest, AUnitMakesItATime) {
  EXPECT_DOUBLE_EQ(Budget::parse("60s").seconds.value(), 60.0);
  EXPECT_DOUBLE_EQ(Budget::parse("1.5m").seconds.value(), 90.0);
  EXPECT_DOUBLE_EQ(Budget::parse("2h").seconds.value(), 7200.0);
  EXPECT_FALSE(Budget::parse("60s").evaluations.has_value());
}

TEST(BudgetTest, AllSetsNoLimit) {
  const Budget budget = Budget::parse("all");
  EXPECT_FALSE(budget.evaluations.has_value());
  EXPECT_FALSE(budget.seconds.has_value());
}

TEST(BudgetTest, AnythingElseIsBadInputThatNamesTheForms) {
  for (const char* text : {"", "0", "-1", "0s", "-5s", "s", "m", "1.5", "ten", "60 s", "1d", "true", "1e999s",
                           "nan", "nans", "infs", "99999999999999999999"}) {
    try {
      Budget::parse(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("a number of evaluations (200), a time (60s"));
    }
  }
}

}  // namespace
}  // namespace warptune::tuner
