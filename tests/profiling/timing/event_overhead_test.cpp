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

TEST(EventOverhead, IsCertainOnAGpuThatNobodyElseUses) {
  EXPECT_TRUE(is_overhead_certain(std::vector<double>(8, 2800.0), kStepNs));
}

TEST(EventOverhead, IsUncertainWhileAnotherProcessDisturbsAlmostAllSamples) {
  const std::vector<double> disturbed = {7400.0, 9.1e3, 5.2e5, 8.8e3, 1.3e4, 6.9e3, 1.9e6, 1.1e4,
                                         2.01e6, 9.7e3, 1.5e4, 8.1e3, 1.2e4, 1.0e4, 3.3e4};
  EXPECT_FALSE(is_overhead_certain(disturbed, kStepNs));
  std::vector<double> later = disturbed;
  later.insert(later.end(), 8, 2800.0);
  EXPECT_TRUE(is_overhead_certain(later, kStepNs));
  EXPECT_DOUBLE_EQ(event_overhead_ns(later, kStepNs), 2800.0);
}

TEST(EventOverhead, IsUncertainIfEverySampleIsLongerThanTheLargestOverhead) {
  EXPECT_FALSE(is_overhead_certain(std::vector<double>(15, 12000.0), kStepNs));
}

TEST(EventOverhead, IsUncertainWithFewSamples) {
  EXPECT_FALSE(is_overhead_certain({}, kStepNs));
  EXPECT_FALSE(is_overhead_certain(std::vector<double>(7, 2800.0), kStepNs));
}

}  // namespace
}  // namespace warptune::profiling::timing
