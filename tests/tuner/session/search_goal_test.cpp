#include "tuner/session/search_goal.h"

#include <gtest/gtest.h>

namespace warptune::tuner::session {
namespace {

// Whether a search with 100 times is taken to be within `share` of the fastest configuration.
bool within(double share, std::uint64_t since_best, std::optional<double> gain, std::uint64_t rated = 100) {
  return is_probably_within(share, {rated, since_best}, [&](std::uint64_t evaluations) {
    EXPECT_EQ(evaluations, 50U);
    return gain;
  });
}

TEST(SearchGoalTest, NeedsAGainThatIsMuchSmallerThanTheGoal) {
  EXPECT_TRUE(within(0.03, 100, 0.0009));
  EXPECT_FALSE(within(0.03, 100, 0.0011));
}

TEST(SearchGoalTest, NeedsManyEvaluationsWithoutANewBest) {
  EXPECT_TRUE(within(0.03, 80, 0.0));
  EXPECT_FALSE(within(0.03, 79, 0.0));
  EXPECT_TRUE(within(0.01, 80, 0.0));
  EXPECT_FALSE(within(0.0099, 119, 0.0));
  EXPECT_TRUE(within(0.0099, 120, 0.0));
}

TEST(SearchGoalTest, NeedsTimesAndAModel) {
  EXPECT_FALSE(within(0.03, 100, 0.0, 19));
  EXPECT_TRUE(within(0.03, 100, 0.0, 20));
  EXPECT_FALSE(within(0.03, 100, std::nullopt));
}

}  // namespace
}  // namespace warptune::tuner::session
