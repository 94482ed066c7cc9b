#include "search/scoring/significance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace warptune::search::scoring {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(SignedRankTest, IsExactForFewDifferences) {
  // All five have the same sign: 2 of the 32 outcomes are at least as extreme.
  const SignedRankTest all = signed_rank_test(std::vector<double>{-1, -2, -3, -4, -5});
  EXPECT_EQ(all.below, 5U);
  EXPECT_EQ(all.above, 0U);
  EXPECT_DOUBLE_EQ(all.p_value, 2.0 / 32.0);
  // The positive ranks sum to 3. {}, {1}, {2}, {3} and {1,2} have at most this sum: 2 * 5 / 32.
  EXPECT_DOUBLE_EQ(signed_rank_test(std::vector<double>{1, 2, -3, -4, -5}).p_value, 10.0 / 32.0);
}

TEST(SignedRankTest, LeavesOutZerosAndSharesRanksOfEqualSizes) {
  // The ranks are 1.5, 1.5, 3, and the smaller sum is 1.5. {}, {1.5} and {1.5} have at most it: 2 * 3 / 8.
  EXPECT_DOUBLE_EQ(signed_rank_test(std::vector<double>{0, 1, -1, -2, 0}).p_value, 6.0 / 8.0);
  EXPECT_DOUBLE_EQ(signed_rank_test(std::vector<double>{0, 0}).p_value, 1.0);
  EXPECT_DOUBLE_EQ(signed_rank_test({}).p_value, 1.0);
}

TEST(SignedRankTest, TheNormalApproximationMeetsTheExactTest) {
  std::vector<double> differences;
  for (int i = 1; i <= 50; ++i) differences.push_back(i % 3 == 0 ? i : -i);
  const double exact = signed_rank_test(differences).p_value;
  differences.push_back(51.0);
  differences.push_back(-52.0);
  const double approximate = signed_rank_test(differences).p_value;
  EXPECT_NEAR(std::log(exact), std::log(approximate), 0.35);
  EXPECT_LT(exact, 0.05);
}

TEST(HolmTest, MultipliesByTheComparisonsLeftAndNeverFalls) {
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.04, 0.01, 0.03}),
              ElementsAre(DoubleNear(0.06, 1e-12), DoubleNear(0.03, 1e-12), DoubleNear(0.06, 1e-12)));
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.9, 0.8}), ElementsAre(1.0, 1.0));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(BootstrapTest, TheIntervalHoldsTheMeanAndNarrowsWithMoreGroups) {
  std::vector<std::vector<double>> few;
  std::vector<std::vector<double>> many;
  for (int i = 0; i < 64; ++i) {
    const std::vector<double> group = {i % 4 - 1.5, i % 4 - 1.0, i % 4 - 2.0};
    if (i < 4) few.push_back(group);
    many.push_back(group);
  }
  const MeanInterval wide = bootstrap_mean(few).value();
  const MeanInterval narrow = bootstrap_mean(many).value();
  EXPECT_NEAR(narrow.mean, 0.0, 1e-12);
  EXPECT_LT(wide.low, 0.0);
  EXPECT_GT(wide.high, 0.0);
  EXPECT_LT(narrow.high - narrow.low, 0.6 * (wide.high - wide.low));
  EXPECT_FALSE(bootstrap_mean({}));
}

TEST(BootstrapTest, OfEqualItemsTheIntervalIsAPoint) {
  const MeanInterval point = bootstrap_mean(std::vector<std::vector<double>>{{2.0, 2.0}, {2.0}}).value();
  EXPECT_DOUBLE_EQ(point.low, 2.0);
  EXPECT_DOUBLE_EQ(point.high, 2.0);
}

}  // namespace
}  // namespace warptune::search::scoring
