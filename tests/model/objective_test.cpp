#include "model/objective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace warptune::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Measurement example() {
  Measurement measurement;
  measurement.status = Status::kMeasured;
  measurement.time = {1000.0, 990.0, 1010.0};
  measurement.resources = {168, 1024, 2048, 16, 256, 512, 3, 0.375};
  measurement.counters = {{"energy_j", 0.5},
                          {"power_w", 500.0},
                          {"sm_clock_mhz", 1980.0},
                          {"dram__bytes.sum", 4096.0},
                          {"sm__warps_active.avg.pct_of_peak_sustained_active", 80.0}};
  return measurement;
}

std::optional<double> value(const std::string& text) { return Objective::parse(text).value(example()); }

std::string refusal(const std::string& text) {
  try {
    Objective::parse(text);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ObjectiveTest, EachNameIsWhatItSays) {
  EXPECT_EQ(value("time"), 1000.0);
  EXPECT_EQ(value("energy"), 0.5);
  EXPECT_EQ(value("energy_j"), 0.5);
  EXPECT_EQ(value("power"), 500.0);
  EXPECT_EQ(value("sm_clock_mhz"), 1980.0);
  EXPECT_EQ(value("dram__bytes.sum"), 4096.0);
  EXPECT_EQ(value("registers"), 168.0);
  EXPECT_EQ(value("shared_bytes"), 3072.0);
  EXPECT_EQ(value("local_bytes"), 16.0);
  EXPECT_EQ(value("threads"), 256.0);
  EXPECT_EQ(value("blocks"), 512.0);
  EXPECT_EQ(value("blocks_per_sm"), 3.0);
  EXPECT_EQ(value("occupancy"), 0.375);
}

TEST(ObjectiveTest, ExpressionsJoinThem) {
  EXPECT_EQ(value("energy * time"), 500.0);
  EXPECT_EQ(value("-sm__warps_active.avg.pct_of_peak_sustained_active"), -80.0);
  EXPECT_EQ(value("time * (1 + 0.1 * (registers > 128))"), 1100.0);
  EXPECT_EQ(value("max(time, 2000.5)"), 2000.5);
  EXPECT_EQ(value("dram__bytes.sum/time"), 4.096);
}

TEST(ObjectiveTest, SeveralAreMultipliedAndMustBePositive) {
  const Objective objective = Objective::parse(" time , energy,max(power, 1)");
  EXPECT_EQ(objective.text(), "time , energy,max(power, 1)");
  EXPECT_THAT(objective.parts(), ElementsAre("time", "energy", "max(power, 1)"));
  EXPECT_EQ(objective.value(example()), 1000.0 * 0.5 * 500.0);
  EXPECT_THAT(*objective.values(example()), ElementsAre(1000.0, 0.5, 500.0));
  EXPECT_EQ(value("time,-occupancy"), std::nullopt);
  EXPECT_EQ(value("-occupancy"), -0.375);
}

TEST(ObjectiveTest, WhatCannotBeComputedHasNoValue) {
  EXPECT_EQ(value("l2__bytes.sum"), std::nullopt);
  EXPECT_EQ(value("time / (registers - 168)"), std::nullopt);
  Measurement untimed = example();
  untimed.time.reset();
  EXPECT_EQ(Objective::parse("energy").value(untimed), std::nullopt);
  EXPECT_EQ(Objective().value(untimed), std::nullopt);
  Measurement uncounted = example();
  uncounted.counters["energy_j"] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Objective::parse("energy").value(uncounted), std::nullopt);
}

TEST(ObjectiveTest, SaysWhatMustBeMeasuredForIt) {
  EXPECT_TRUE(Objective().is_time());
  EXPECT_TRUE(Objective::parse(" time ").is_time());
  EXPECT_FALSE(Objective::parse("time,energy").is_time());
  EXPECT_FALSE(Objective::parse("2 * time").is_time());
  EXPECT_TRUE(Objective::parse("2 * time").is_time_like());
  EXPECT_TRUE(Objective::parse("time * registers").is_time_like());
  EXPECT_FALSE(Objective::parse("registers").is_time_like());
  EXPECT_FALSE(Objective::parse("time * energy").is_time_like());
  EXPECT_TRUE(Objective::parse("time,power").needs_energy());
  EXPECT_TRUE(Objective::parse("energy_j").needs_energy());
  EXPECT_FALSE(Objective::parse("sm_clock_mhz").needs_energy());
  EXPECT_THAT(Objective().counters(), IsEmpty());
  EXPECT_THAT(Objective::parse("a__b.sum * energy + a__b.sum, c__d.avg").counters(),
              ElementsAre("a__b.sum", "c__d.avg"));
}

TEST(ObjectiveTest, SaysWhichColumnsOfAStoredRowItReads) {
  const Objective mixed = Objective::parse("time * energy + energy_j, a.sum / registers");
  EXPECT_THAT(mixed.stored_metrics(), ::testing::ElementsAre("energy_j", "a.sum"));
  EXPECT_TRUE(mixed.needs_resources());
  EXPECT_TRUE(Objective().stored_metrics().empty());
  EXPECT_FALSE(Objective::parse("time * power").needs_resources());
}

TEST(ObjectiveTest, ErrorsPointAtTheColumn) {
  EXPECT_THAT(refusal("time * engergy"),
              HasSubstr("--objective:1:8: unknown name 'engergy' (did you mean energy"));
  EXPECT_THAT(refusal("time, power +"), HasSubstr("--objective:1:14: found the end, expected a value"));
  EXPECT_THAT(refusal("time,,power"), HasSubstr("--objective:1:6: found nothing"));
  EXPECT_THAT(refusal(""), HasSubstr("found nothing"));
  EXPECT_THAT(refusal("time energy"), HasSubstr("--objective:1:6: found 'energy', expected an operator"));
  EXPECT_THAT(refusal("dram__bytes. + 1"), HasSubstr("--objective:1:12: "));
  EXPECT_THAT(refusal("3 + 4"), HasSubstr("the same for every configuration"));
  EXPECT_THAT(refusal("time, (power"), HasSubstr("--objective:1:13: "));
}

TEST(ObjectiveTest, OtherExpressionsHaveNoDottedNames) {
  EXPECT_THROW(Expression::parse("dram__bytes.sum"), base::InputError);
}

TEST(ObjectiveTest, ResourcesAreListedUnderTheNamesThatExpressionsUse) {
  const Measurement measurement = example();
  const auto values = resource_values(measurement.resources);
  EXPECT_EQ(values.size(), 7U);
  for (const auto& [name, amount] : values) EXPECT_EQ(value(std::string(name)), to_number(amount)) << name;
}

}  // namespace
}  // namespace warptune::model
