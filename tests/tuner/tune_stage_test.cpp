#include "tuner/cli/tune_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "profiling/metrics.h"

namespace warptune::tuner::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(TuneStageTest, DevicesAreANumberAListOrAll) {
  EXPECT_THAT(chosen_devices("1", 4), ElementsAre(1));
  EXPECT_THAT(chosen_devices("2, 0", 4), ElementsAre(2, 0));
  EXPECT_THAT(chosen_devices("all", 3), ElementsAre(0, 1, 2));
  for (const char* wrong : {"", "1,", "x", "-1", "1,1", "all,0", "0.5", "99999999999999"})
    EXPECT_THROW(chosen_devices(wrong, 4), base::InputError) << wrong;
  EXPECT_THROW(chosen_devices("0,4", 4), base::MachineError);
}

TEST(TuneStageTest, GpusOfOneModelShareASessionWhateverTheirName) {
  search::GpuDescription h200 = search::fictional_gpu();
  search::GpuDescription renamed = h200;
  renamed.name = "the same by another name";
  search::GpuDescription smaller = h200;
  smaller.sm_count = 60;
  EXPECT_THAT(devices_by_model({h200, smaller, renamed, smaller}, {0, 1, 2, 3}),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_THAT(devices_by_model({h200, smaller, renamed, smaller}, {3, 2}),
              ElementsAre(ElementsAre(3), ElementsAre(2)));
}

ProcessEvaluatorOptions chosen(const std::string& metrics, const std::string& objective = "time") {
  ProcessEvaluatorOptions options;
  choose_metrics(metrics, search::Objective::parse(objective), options);
  return options;
}

TEST(TuneStageTest, MetricsAreTheCoreSetNoneAllOrNames) {
  EXPECT_TRUE(chosen("core").count);
  EXPECT_THAT(chosen("core").metrics, IsEmpty());
  EXPECT_FALSE(chosen("none").count);
  EXPECT_EQ(chosen("full").metrics, profiling::full_metrics());
  EXPECT_THAT(chosen("a__b.sum, c__d.avg,a__b.sum").metrics, ElementsAre("a__b.sum", "c__d.avg"));
  EXPECT_FALSE(chosen("a__b.sum").measure_energy);
  EXPECT_THROW(chosen("a__b.sum,"), base::InputError);
}

TEST(TuneStageTest, WhatAnObjectiveNeedsIsMeasured) {
  EXPECT_TRUE(chosen("core", "time,energy").measure_energy);
  EXPECT_TRUE(chosen("none", "energy").measure_energy);
  EXPECT_TRUE(chosen("energy_j,a__b.sum").measure_energy);
  EXPECT_THAT(chosen("energy_j,a__b.sum").metrics, ElementsAre("a__b.sum"));
  EXPECT_THAT(chosen("core", "-" + profiling::core_metrics().front()).metrics, IsEmpty());
  const std::vector<std::string> more = chosen("core", "x__y.sum / time").metrics;
  EXPECT_THAT(more, SizeIs(profiling::core_metrics().size() + 1));
  EXPECT_THAT(more, Contains("x__y.sum"));
  EXPECT_THAT(chosen("a__b.sum", "x__y.sum").metrics, ElementsAre("a__b.sum", "x__y.sum"));
  EXPECT_THROW(chosen("none", "x__y.sum"), base::InputError);
}

}  // namespace
}  // namespace warptune::tuner::cli
