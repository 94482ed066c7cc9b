#include "profiling/counters/planned_counting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "profiling/counters/counter_image.h"
#include "profiling/counters/metric_planner.h"
#include "profiling/counters/metrics.h"
#include "tests/sanitizers.h"

namespace warptune::profiling::counters {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// CUPTI loads its host library with RTLD_DEEPBIND. The address sanitizer ends the process then.
class PlannedCountingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tests::kAddressSanitizer) GTEST_SKIP() << "the address sanitizer does not allow CUPTI's host library";
  }
};

TEST_F(PlannedCountingTest, TheCoreSetIsOnePass) {
  EXPECT_THAT(countable_chips(), Contains("GH100"));
  const CountingConfig config = counting_config("GH100", {});
  EXPECT_EQ(config.chip, "GH100");
  EXPECT_EQ(config.metrics, core_metrics());
  EXPECT_EQ(config.passes, 1U);
  EXPECT_THAT(config.image, Not(IsEmpty()));
  EXPECT_THAT(config.warnings, IsEmpty());
}

TEST_F(PlannedCountingTest, TheDurationIsAddedIfItIsFree) {
  EXPECT_THAT(counting_config("GH100", {"dram__bytes.sum"}).metrics,
              ElementsAre("dram__bytes.sum", kDurationMetric));
  EXPECT_THAT(with_free_duration("GH100", {kDurationMetric}), ElementsAre(kDurationMetric));
  EXPECT_EQ(counting_config("GH100", full_metrics()).passes, plan_metrics("GH100", full_metrics()).passes);
}

TEST_F(PlannedCountingTest, WhatAChipLacksIsLeftOut) {
  const CountingConfig config = counting_config("GH100", {"dram__bytes.sum", "dram__bites.sum"});
  EXPECT_THAT(config.metrics, Not(Contains("dram__bites.sum")));
  EXPECT_THAT(config.warnings, ElementsAre(HasSubstr("did you mean dram__bytes.sum")));
  EXPECT_THAT(counting_config("GH100", {"dram__bites.sum"}).metrics, IsEmpty());
  EXPECT_THROW(counting_config("GH1000", {}), base::InputError);
}

TEST_F(PlannedCountingTest, AnImageThatIsNoneIsRefused) {
  EXPECT_THROW(counters_of(counting_config("GH100", {}), std::vector<std::uint8_t>(4096, 0)),
               base::MachineError);
}

TEST(CompleteCountersTest, SharesOfElapsedTimeAreThoseOfTheLaunch) {
  model::Counters counters = {{"gpu__time_duration.sum", 110.0},
                              {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 50.0},
                              {"sm__warps_active.avg.pct_of_peak_sustained_active", 40.0},
                              {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 6.0},
                              {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 8.0}};
  complete_counters(counters, 100.0);
  EXPECT_DOUBLE_EQ(counters.at("dram__throughput.avg.pct_of_peak_sustained_elapsed"), 55.0);
  EXPECT_EQ(counters.at("sm__warps_active.avg.pct_of_peak_sustained_active"), 40.0);
  EXPECT_EQ(counters.at("shared_bank_conflicts_per_access"), 3.0) << "a derived metric";
}

TEST(CompleteCountersTest, ADisturbedRangeHasNoSharesOfElapsedTime) {
  model::Counters counters = {{"gpu__time_duration.sum", 1e9},
                              {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 50.0},
                              {"dram__bytes.sum", 7.0}};
  model::Counters of_unknown_time = counters;
  complete_counters(counters, 100.0);
  EXPECT_EQ(counters, (model::Counters{{"dram__bytes.sum", 7.0}}));
  complete_counters(of_unknown_time, std::nullopt);
  EXPECT_EQ(of_unknown_time.size(), 3U);
}

TEST(CompleteCountersTest, ARangeThatIsNotLongerNeedsNoConversion) {
  model::Counters counters = {{"dram__throughput.avg.pct_of_peak_sustained_elapsed", 50.0}};
  const model::Counters before = counters;
  scale_to_launch_time(counters, 90.0, 100.0);
  EXPECT_EQ(counters, before);
}

}  // namespace
}  // namespace warptune::profiling::counters
