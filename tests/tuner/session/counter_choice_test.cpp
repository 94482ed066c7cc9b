#include "tuner/session/counter_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "profiling/counters/metrics.h"

namespace warptune::tuner::session {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

profiling::MeasuringOptions chosen(const std::string& metrics, const std::string& objective = "time") {
  profiling::MeasuringOptions options;
  CounterChoice::parse(metrics).apply(model::Objective::parse(objective), options);
  return options;
}

TEST(CounterChoiceTest, MetricsAreTheCoreSetNoneAllOrNames) {
  EXPECT_TRUE(chosen("core").count);
  EXPECT_THAT(chosen("core").metrics, IsEmpty());
  EXPECT_FALSE(chosen("none").count);
  EXPECT_EQ(chosen("full").metrics, profiling::counters::full_metrics());
  EXPECT_THAT(chosen("a__b.sum, c__d.avg,a__b.sum").metrics, ElementsAre("a__b.sum", "c__d.avg"));
  EXPECT_FALSE(chosen("a__b.sum").measure_energy);
  EXPECT_THROW(chosen("a__b.sum,"), base::InputError);
}

TEST(CounterChoiceTest, AllConfigurationsAreCountedOnlyWhereThatIsAskedFor) {
  const auto counts_all = [](const std::string& count) {
    profiling::MeasuringOptions options;
    CounterChoice::parse("core", count).apply(model::Objective::parse("time"), options);
    return options.count_all;
  };
  EXPECT_FALSE(counts_all("contenders"));
  EXPECT_TRUE(counts_all("all"));
  EXPECT_THROW(counts_all("none"), base::InputError);
}

TEST(CounterChoiceTest, WhatAnObjectiveNeedsIsMeasured) {
  EXPECT_TRUE(chosen("core", "time,energy").measure_energy);
  EXPECT_TRUE(chosen("none", "energy").measure_energy);
  EXPECT_TRUE(chosen("energy_j,a__b.sum").measure_energy);
  EXPECT_THAT(chosen("energy_j,a__b.sum").metrics, ElementsAre("a__b.sum"));
  EXPECT_THAT(chosen("core", "-" + profiling::counters::core_metrics().front()).metrics, IsEmpty());
  const std::vector<std::string> more = chosen("core", "x__y.sum / time").metrics;
  EXPECT_THAT(more, SizeIs(profiling::counters::core_metrics().size() + 1));
  EXPECT_THAT(more, Contains("x__y.sum"));
  EXPECT_THAT(chosen("a__b.sum", "x__y.sum").metrics, ElementsAre("a__b.sum", "x__y.sum"));
  EXPECT_THROW(chosen("none", "x__y.sum"), base::InputError);
}

}  // namespace
}  // namespace warptune::tuner::session
