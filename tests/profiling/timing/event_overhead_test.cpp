#include "profiling/timing/event_overhead.h"

#include <gtest/gtest.h>

namespace warptune::profiling::timing {
namespace {

constexpr double kStepNs = 32.0;

TEST(EventOverhead, IsTheMedianOnAGpuThatNobodyElseUses) {
  EXPECT_DOUBLE_EQ(event_overhead_ns({2800.0, 2832.0, 2768.0, 2800.0, 2832.0}, kStepNs), 2800.0);
}

TEST(EventOverhead, IsNotRaisedByAnotherProcessEvenIfItDisturbsMostSamples) {
  EXPECT_DOUBLE_EQ(event_overhead_ns({2800.0, 9.0e5, 4600.0, 2832.0, 1.9e6, 7000.0, 5200.0}, kStepNs),
                   2816.0);
}

TEST(EventOverhead, IsTheMedianOverTheStepsOfACoarseTimer) {
  EXPECT_DOUBLE_EQ(event_overhead_ns({2100.0, 2600.0, 3000.0, 2300.0, 2900.0}, 1000.0), 2600.0);
}

TEST(EventOverhead, IsNeverNegativeAndNeverMoreThanTenMicroseconds) {
  EXPECT_DOUBLE_EQ(event_overhead_ns({-500.0, -400.0}, kStepNs), 0.0);
  EXPECT_DOUBLE_EQ(event_overhead_ns({3.0e6}, kStepNs), 10000.0);
}

}  // namespace
}  // namespace warptune::profiling::timing
