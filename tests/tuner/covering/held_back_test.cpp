#include "tuner/covering/held_back.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warptune::tuner::covering {
namespace {

TEST(HeldBackTest, IfAllAreWithinTheBoundIsARootOfTheRemainingChance) {
  EXPECT_NEAR(share_lower_bound(50, 50, 0.9), std::pow(0.1, 1.0 / 50), 1e-9);
  EXPECT_NEAR(share_lower_bound(1, 1, 0.9), 0.1, 1e-9);
}

TEST(HeldBackTest, KnownBoundsOfClopperAndPearson) {
  // One-sided 97.5 % bounds are those of the tabulated two-sided 95 % intervals: 8 of 10 and 5 of 10.
  EXPECT_NEAR(share_lower_bound(8, 10, 0.975), 0.4439, 1e-4);
  EXPECT_NEAR(share_lower_bound(5, 10, 0.975), 0.1871, 1e-4);
}

TEST(HeldBackTest, WithoutASizeWithinTheLimitNothingIsSure) {
  EXPECT_EQ(share_lower_bound(0, 20, 0.9), 0.0);
  EXPECT_EQ(share_lower_bound(0, 0, 0.9), 0.0);
}

}  // namespace
}  // namespace warptune::tuner::covering
