#include "profiling/timing/racing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace warptune::profiling::timing {
namespace {

constexpr double kIncumbentNs = 1e5;

Race race_with(const RacingProtocol& protocol, double first_ns, const std::vector<double>& samples_ns,
               double incumbent_ns = kIncumbentNs) {
  Race race(protocol, incumbent_ns);
  race.add_first(first_ns);
  for (const double sample : samples_ns) race.add(sample);
  return race;
}

TEST(Race, DropsTheHopelessAfterTheFirstLaunch) {
  const RacingProtocol protocol;
  const Race race = race_with(protocol, 2.5 * kIncumbentNs, {});
  EXPECT_EQ(race.verdict(), RaceVerdict::kDropped);
  EXPECT_GE(race.bound_ns(), kIncumbentNs);
  EXPECT_LT(race.bound_ns(), 2.5 * kIncumbentNs);
}

// Without the surplus, a host that is interrupted before the first launch of a short kernel costs its
// configuration the race.
TEST(Race, ForgivesAnInterruptedHostInTheFirstLaunchOfAShortKernel) {
  const RacingProtocol protocol;
  const double incumbent_ns = 2000.0;
  const double interrupted_ns = incumbent_ns + 0.9 * protocol.first_surplus_ns;
  EXPECT_EQ(race_with(protocol, interrupted_ns, {}, incumbent_ns).verdict(), RaceVerdict::kMore);
  EXPECT_EQ(race_with(protocol, interrupted_ns, {incumbent_ns}, incumbent_ns).verdict(), RaceVerdict::kMore);
  EXPECT_EQ(race_with(protocol, interrupted_ns, {3.0 * incumbent_ns}, incumbent_ns).verdict(),
            RaceVerdict::kDropped);
  const Race slower = race_with(protocol, incumbent_ns + 1.1 * protocol.first_surplus_ns, {}, incumbent_ns);
  EXPECT_EQ(slower.verdict(), RaceVerdict::kDropped);
  // The time without any interruption may have been much shorter than the first launch took.
  EXPECT_LE(slower.bound_ns(), incumbent_ns + 0.1 * protocol.first_surplus_ns + 1e-6);
}

// Otherwise almost every configuration of a short kernel would be counted.
TEST(Race, IsNoContenderBecauseOfTheSurplusOfItsFirstLaunch) {
  const RacingProtocol protocol;
  const double incumbent_ns = 2000.0;
  const double within_ns = protocol.stages[0].ratio * incumbent_ns + protocol.stages[0].margin_ns;
  const double beyond_ns = within_ns + 1000.0;
  EXPECT_FALSE(race_with(protocol, beyond_ns, {beyond_ns}, incumbent_ns).is_contender());
  EXPECT_TRUE(race_with(protocol, within_ns, {within_ns}, incumbent_ns).is_contender());
  const std::vector<double> fast(protocol.max_samples, incumbent_ns);
  EXPECT_TRUE(race_with(protocol, beyond_ns, fast, incumbent_ns).is_contender());
  EXPECT_FALSE(
      race_with(protocol, incumbent_ns + 2.0 * protocol.first_surplus_ns, {}, incumbent_ns).is_contender());
}

TEST(Race, DropsNothingWithoutAnIncumbent) {
  const RacingProtocol protocol;
  EXPECT_EQ(race_with(protocol, 1e9, {}, 0.0).verdict(), RaceVerdict::kMore);
}

TEST(Race, DropsNothingWhereNothingIsToBeDropped) {
  RacingProtocol protocol;
  protocol.drop = false;
  std::vector<double> samples;
  EXPECT_EQ(race_with(protocol, 9.0 * kIncumbentNs, samples).verdict(), RaceVerdict::kMore);
  samples.assign(protocol.max_samples, 9.0 * kIncumbentNs);
  EXPECT_EQ(race_with(protocol, 9.0 * kIncumbentNs, samples).verdict(), RaceVerdict::kMeasured);
}

TEST(Race, SamplesAContenderToTheEnd) {
  const RacingProtocol protocol;
  std::vector<double> samples(protocol.max_samples - 1, kIncumbentNs);
  EXPECT_EQ(race_with(protocol, kIncumbentNs, samples).verdict(), RaceVerdict::kMore);
  samples.push_back(kIncumbentNs);
  EXPECT_EQ(race_with(protocol, kIncumbentNs, samples).verdict(), RaceVerdict::kMeasured);
}

TEST(Race, ForgivesAFirstLaunchThatCodeNewToTheGpuMakesSlow) {
  const RacingProtocol protocol;
  const double slow_first = protocol.stages[0].ratio * kIncumbentNs;
  EXPECT_EQ(race_with(protocol, slow_first, {}).verdict(), RaceVerdict::kMore);
  EXPECT_EQ(race_with(protocol, slow_first, {kIncumbentNs}).verdict(), RaceVerdict::kMore);
}

TEST(Race, IsStricterTheMoreSamplesThereAre) {
  const RacingProtocol protocol;
  for (std::size_t i = 1; i < protocol.stages.size(); ++i) {
    EXPECT_LT(protocol.stages[i].ratio, protocol.stages[i - 1].ratio);
    EXPECT_LE(protocol.stages[i].margin_ns, protocol.stages[i - 1].margin_ns);
    EXPECT_GT(protocol.stages[i].samples, protocol.stages[i - 1].samples);
  }
  // Between the ratios after one sample and after three samples.
  const double slower = 1.06 * kIncumbentNs;
  EXPECT_EQ(race_with(protocol, slower, {slower}).verdict(), RaceVerdict::kMore);
  EXPECT_EQ(race_with(protocol, slower, {slower, slower, slower}).verdict(), RaceVerdict::kDropped);
}

TEST(Race, JudgesByTheMinimumSample) {
  const RacingProtocol protocol;
  const double slow = 3.0 * kIncumbentNs;
  EXPECT_EQ(race_with(protocol, kIncumbentNs, {slow, slow, kIncumbentNs}).verdict(), RaceVerdict::kMore);
}

TEST(Race, CallsMeasuredWhatWasSampledOftenEnoughBeforeItFellBehind) {
  const RacingProtocol protocol;
  const std::vector<double> samples(protocol.min_samples, 1.03 * kIncumbentNs);
  EXPECT_EQ(race_with(protocol, 1.03 * kIncumbentNs, samples).verdict(), RaceVerdict::kMeasured);
}

TEST(Race, TakesFewerSamplesOfLongLaunches) {
  const RacingProtocol protocol;
  const double long_ns = 5.0 * protocol.long_launch_ms * 1e6;
  const std::vector<double> samples(protocol.min_samples_of_long, long_ns);
  EXPECT_EQ(race_with(protocol, long_ns, samples, long_ns).verdict(), RaceVerdict::kMeasured);
  EXPECT_EQ(race_with(protocol, long_ns, {long_ns}, long_ns).verdict(), RaceVerdict::kMore);
}

TEST(Race, EndsAtItsBudgetOfTime) {
  const RacingProtocol protocol;
  const double ns = protocol.sample_budget_ms * 1.001e6 / static_cast<double>(protocol.min_samples + 2);
  EXPECT_EQ(race_with(protocol, ns, std::vector<double>(protocol.min_samples, ns), ns).verdict(),
            RaceVerdict::kMore);
  EXPECT_EQ(race_with(protocol, ns, std::vector<double>(protocol.min_samples + 2, ns), ns).verdict(),
            RaceVerdict::kMeasured);
}

TEST(Race, NeedsAStageForTheFirstLaunch) {
  RacingProtocol protocol;
  protocol.stages.erase(protocol.stages.begin());
  EXPECT_THROW(Race(protocol, kIncumbentNs), base::InternalError);
  protocol.stages.clear();
  EXPECT_THROW(Race(protocol, kIncumbentNs), base::InternalError);
}

TEST(Race, KeepsItsSamplesInTheirOrderWithoutTheFirstLaunch) {
  const RacingProtocol protocol;
  const Race race = race_with(protocol, 5e5, {3e5, 1e5, 2e5});
  EXPECT_EQ(race.samples_ns(), (std::vector<double>{3e5, 1e5, 2e5}));
  EXPECT_EQ(race.first_ns(), 5e5);
}

// The test holds for any samples. A race ends. The bound of a dropped configuration follows from the
// incumbent and from its samples. A configuration that was once as fast as the incumbent is not dropped.
TEST(Race, DropsNothingThatWasOnceAsFastAsTheIncumbent) {
  base::Random random(17);
  const RacingProtocol protocol;
  for (int repeat = 0; repeat < 300; ++repeat) {
    Race race(protocol, kIncumbentNs);
    race.add_first(kIncumbentNs * (0.8 + random.unit()));
    double minimum = race.first_ns();
    while (race.verdict() == RaceVerdict::kMore) {
      const double ns = kIncumbentNs * (0.9 + 0.4 * random.unit());
      minimum = race.samples_ns().empty() ? ns : std::min(minimum, ns);
      race.add(ns);
    }
    EXPECT_LE(race.samples_ns().size(), protocol.max_samples);
    if (race.verdict() != RaceVerdict::kDropped) continue;
    EXPECT_GT(minimum, kIncumbentNs);
    EXPECT_GE(race.bound_ns(), kIncumbentNs);
    EXPECT_LE(race.bound_ns(), minimum);
  }
}

}  // namespace
}  // namespace warptune::profiling::timing
