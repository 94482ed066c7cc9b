#include "search/models/objective_scale.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warptune::search::models {
namespace {

TEST(ObjectiveScale, CountsFromTheBestByLogarithmsAndCompressesTheSlow) {
  const ObjectiveScale scale({100.0, 200.0, 400.0});
  EXPECT_EQ(scale.compressed(100.0), 0.0);
  EXPECT_NEAR(scale.compressed(101.0), 0.01, 1e-3);
  EXPECT_NEAR(scale.compressed(200.0), std::log(2.0) * std::log(2.0), 1e-9);
  EXPECT_LT(scale.compressed(1e6), 3.0);
  EXPECT_NEAR(ObjectiveScale({100.0, 200.0, 400.0}, false).compressed(1e6), std::log(1e4), 1e-9);
}

TEST(ObjectiveScale, TakesObjectivesThatAreNotPositiveAsTheyAre) {
  const ObjectiveScale scale({-3.0, -1.0, 2.0});
  EXPECT_EQ(scale.compressed(-3.0), 0.0);
  EXPECT_GT(scale.compressed(2.0), scale.compressed(-1.0));
  EXPECT_GT(ObjectiveScale({5.0, 5.0}).spread(), 0.0);
  EXPECT_EQ(ObjectiveScale({0.0, 0.0}).compressed(0.0), 0.0);
}

}  // namespace
}  // namespace warptune::search::models
