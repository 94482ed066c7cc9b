#include "model/pareto.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "base/random.h"

namespace warptune::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ParetoFront, HoldsWhatNoOtherPointDominatesByRisingFirstCoordinate) {
  EXPECT_THAT(pareto_front({{3, 1}, {1, 3}, {2, 2}, {3, 3}, {2, 3}}), ElementsAre(1, 2, 0));
}

TEST(ParetoFront, KeepsEqualPointsAndLeavesOutNan) {
  EXPECT_THAT(pareto_front({{1, 2}, {1, 2}, {1, 3}, {std::nan(""), 0}}), ElementsAre(0, 1));
}

TEST(ParetoFront, WithOneCoordinateIsTheMinimum) {
  EXPECT_THAT(pareto_front({{3}, {1}, {2}}), ElementsAre(1));
}

TEST(ParetoFront, OfNothingIsNothing) { EXPECT_THAT(pareto_front({}), IsEmpty()); }

RC_GTEST_PROP(ParetoFrontProperty, IsWhatComparingAllPairsGives, (std::uint64_t seed)) {
  base::Random random(seed);
  std::vector<std::vector<double>> points(random.below(40));
  for (auto& point : points) {
    for (int i = 0; i < 3; ++i) point.push_back(static_cast<double>(random.below(6)));
  }
  std::vector<std::size_t> front = pareto_front(points);
  std::vector<bool> in_front(points.size(), false);
  for (const std::size_t index : front) in_front[index] = true;
  for (std::size_t a = 0; a < points.size(); ++a) {
    bool dominated = false;
    for (const auto& b : points) {
      const bool nowhere_greater = b[0] <= points[a][0] && b[1] <= points[a][1] && b[2] <= points[a][2];
      dominated = dominated || (nowhere_greater && b != points[a]);
    }
    RC_ASSERT(in_front[a] == !dominated);
  }
}

}  // namespace
}  // namespace warptune::model
