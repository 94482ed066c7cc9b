#include "tuner/evaluation/evaluation_limit.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace warptune::tuner::evaluation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(EvaluationLimit, FollowsTheBestAndIsAtMostTwoSecondsBelowAMillisecond) {
  const EvaluationLimit limit;
  EXPECT_EQ(limit.of(0.0, {}), seconds(30)) << "nothing is known";
  EXPECT_EQ(limit.of(11e3, {}), milliseconds(516));
  EXPECT_EQ(limit.of(1e6, {}), seconds(2));
  EXPECT_EQ(limit.of(4e6, {}), milliseconds(6500));
  EXPECT_EQ(limit.of(1e9, {}), seconds(30));
}

TEST(EvaluationLimit, GivesWhatTakesLongerByItselfMoreTime) {
  const EvaluationLimit limit;
  profiling::MeasuringOptions energy;
  energy.measure_energy = true;
  profiling::MeasuringOptions counters;
  counters.metrics = {"dram__bytes.sum"};
  EXPECT_GT(limit.of(11e3, energy), seconds(10));
  EXPECT_GT(limit.of(11e3, counters), seconds(4));
}

TEST(EvaluationLimit, OfAFinalLaunchLeavesTimeForASlowDefault) {
  const EvaluationLimit limit;
  EXPECT_EQ(limit.of_final_launch(11e3, 12e3), milliseconds(516));
  EXPECT_EQ(limit.of_final_launch(11e3, 1e9), milliseconds(10516));
  EXPECT_EQ(limit.of_final_launch(0.0, 0.0), seconds(30)) << "nothing is known";
}

TEST(EvaluationLimit, IsWhatWasAskedForWhateverTheBestTakes) {
  const EvaluationLimit limit{seconds(30), seconds(90)};
  EXPECT_EQ(limit.of_final_launch(11e3, 1e9), seconds(90));
  EXPECT_EQ(limit.of(0.0, {}), seconds(90));
  EXPECT_EQ(limit.of(11e3, {}), seconds(90));
}

TEST(EvaluationLimit, IsAskedForInSecondsFromATenthToADay) {
  EXPECT_EQ(asked_limit(0.1, "timeout"), milliseconds(100));
  EXPECT_EQ(asked_limit(86400.0, "timeout"), seconds(86400));
  for (const double bad : {0.0, -1.0, 0.0999, 86400.1, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(asked_limit(bad, "timeout"), base::InputError) << bad;
  }
}

}  // namespace
}  // namespace warptune::tuner::evaluation
