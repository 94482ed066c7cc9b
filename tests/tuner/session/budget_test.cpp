#include "tuner/session/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace warptune::tuner::session {
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
  EXPECT_DOUBLE_EQ(Budget::parse("1h30m").seconds.value(), 5400.0);
  EXPECT_DOUBLE_EQ(Budget::parse("1h1m1s").seconds.value(), 3661.0);
  EXPECT_DOUBLE_EQ(Budget::parse("2m0.5s").seconds.value(), 120.5);
}

TEST(BudgetTest, AllSetsNoLimit) {
  const Budget budget = Budget::parse("all");
  EXPECT_FALSE(budget.evaluations.has_value());
  EXPECT_FALSE(budget.seconds.has_value());
}

TEST(BudgetTest, AnythingElseIsBadInputThatNamesTheForms) {
  for (const char* text : {"",       "0",
                           "-1",     "0s",
                           "-5s",    "s",
                           "m",      "1.5",
                           "ten",    "60 s",
                           "1d",     "true",
                           "1e999s", "nan",
                           "nans",   "infs",
                           "1m1h",   "1h30",
                           "1h1h",   "h30m",
                           "1h-1m",  "99999999999999999999"}) {
    try {
      Budget::parse(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("a number of evaluations (200), a time (60s"));
    }
  }
}

TEST(BudgetTest, ATimeIsAtMostAYear) {
  EXPECT_DOUBLE_EQ(Budget::parse("8760h").seconds.value(), 365 * 24 * 3600.0);
  for (const char* text : {"8761h", "1e30s", "1e300h"}) {
    try {
      Budget::parse(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("expected at most 8760 hours (one year)"));
    }
  }
}

TEST(GoalTest, IsAShareOfTheRoofOrAGain) {
  const Goal roof = Goal::parse("0.9roof");
  EXPECT_EQ(roof.text, "0.9roof");
  EXPECT_DOUBLE_EQ(roof.roof_share.value(), 0.9);
  EXPECT_FALSE(roof.gain_share.has_value());
  const Goal gain = Goal::parse("0.3%");
  EXPECT_DOUBLE_EQ(gain.gain_share.value(), 0.003);
  EXPECT_FALSE(gain.roof_share.has_value());
  EXPECT_DOUBLE_EQ(Goal::parse("1roof").roof_share.value(), 1.0);
}

TEST(GoalTest, AnythingElseIsBadInputThatNamesTheForms) {
  for (const char* text :
       {"", "roof", "%", "0roof", "-1roof", "90roof", "0.9", "0.9 of roof", "nanroof", "inf%", "0%", "-1%",
        "100%", "0.3 %x", "0.9Roof", "trueroof", "1e999%", "0.9roof%"}) {
    try {
      Goal::parse(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("expected a share of the roof (0.9roof"));
    }
  }
}

}  // namespace
}  // namespace warptune::tuner::session
