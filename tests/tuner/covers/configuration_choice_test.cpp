#include "tuner/covers/configuration_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace warptune::tuner::covers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<double> kEven = {1.0, 1.0, 1.0};

TEST(ConfigurationChoiceTest, TheFewestWithinTheLimitAreChosen) {
  EXPECT_THAT(choose_configurations({{0.0, 0.0, 0.3}, {0.3, 0.3, 0.0}, {0.0, 0.3, 0.3}}, kEven, {}),
              ElementsAre(0, 1));
  EXPECT_THAT(choose_configurations({}, {}, {}), IsEmpty());
}

TEST(ConfigurationChoiceTest, AmongEquallyManyThoseWithSmallLossesAreChosen) {
  EXPECT_THAT(choose_configurations({{0.04, 0.04, 0.3}, {0.0, 0.01, 0.3}, {0.3, 0.3, 0.0}}, kEven, {}),
              ElementsAre(1, 2));
}

TEST(ConfigurationChoiceTest, FewerThanNeededAreThoseWithTheSmallestLosses) {
  // Each configuration is the best at one size. The last one is nowhere far from it.
  const LossMatrix losses = {{0.0, 0.5, 0.5}, {0.5, 0.0, 0.5}, {0.5, 0.5, 0.0}, {0.06, 0.06, 0.06}};
  EXPECT_THAT(choose_configurations(losses, kEven, {0.05, 1}), ElementsAre(3));
  EXPECT_THAT(choose_configurations(losses, kEven, {0.05, 3}), ElementsAre(0, 1, 2));
  EXPECT_THAT(choose_configurations(losses, {1.0, 1.0, 9.0}, {0.05, 2}), ElementsAre(2, 3));
}

TEST(ConfigurationChoiceTest, WhatIsNotKnownCountsAsSlow) {
  EXPECT_THAT(choose_configurations({{0.0, std::nullopt, 0.0}, {0.2, 0.0, 0.2}}, kEven, {0.05, 1}),
              ElementsAre(1));
}

}  // namespace
}  // namespace warptune::tuner::covers
