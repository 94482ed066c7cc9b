#include "tuner/evaluation/evaluator.h"

#include <gtest/gtest.h>

namespace warptune::tuner::evaluation {
namespace {

TEST(EvaluatorTest, CountersThatFollowAMeasurementAreNoMeasurement) {
  EXPECT_EQ(count_measurements({}), 0U);
  EXPECT_EQ(count_measurements({MeasurementEvent{1, {}}, CounterEvent{1, {}}, UnknownEvent{2},
                                CounterEvent{3, {}}, MeasurementEvent{4, {}}}),
            3U);
}

}  // namespace
}  // namespace warptune::tuner::evaluation
