#include "profiling/counters/counter_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>

#include "profiling/counters/metrics.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::counters {
namespace {

using model::Counters;
using model::Measurement;
using model::Status;

class GpuCounterTest : public GpuTest {
 protected:
  /// Evaluates a number of configurations in one session, with ids from 0. Skips when counters may not be
  /// read.
  std::map<std::uint64_t, Counters> count(const std::string& kernel, const RunnerOptions& options,
                                          const std::vector<model::NamedValues>& configurations) {
    RunnerUnderTest under_test(kernel, {}, options);
    std::map<std::uint64_t, Counters> readings;
    problem_ = under_test.runner().counter_problem();
    for (std::size_t id = 0; id < configurations.size() && problem_.empty(); ++id) {
      measurements_.push_back(under_test.evaluate(configurations[id], id));
      EXPECT_EQ(measurements_.back().status, Status::kMeasured) << measurements_.back().reason;
      for (const CounterReading& reading : under_test.runner().take_counters(false)) {
        readings[reading.id] = reading.counters;
      }
    }
    for (const CounterReading& reading : under_test.runner().take_counters(true)) {
      readings[reading.id] = reading.counters;
    }
    if (problem_.empty()) {
      EXPECT_EQ(under_test.runner().counter_problem(), "");
    }
    for (const auto& [id, counters] : readings) {
      std::cout << kernel << ' ' << id << ':';
      for (const auto& [name, value] : counters) std::cout << ' ' << name << '=' << value;
      std::cout << '\n';
    }
    return readings;
  }

  std::string problem_;
  std::vector<Measurement> measurements_;
};

TEST_F(GpuCounterTest, ACopyMovesItsBytesThroughDram) {
  const auto readings = count("copy", {}, {{}});
  if (!problem_.empty()) GTEST_SKIP() << problem_;
  ASSERT_EQ(readings.size(), 1U);
  const Counters& counters = readings.at(0);
  const double bytes = 2.0 * 134217728.0 * 4.0;
  EXPECT_NEAR(counters.at("dram__bytes.sum"), bytes, 0.1 * bytes);
  EXPECT_GT(counters.at("dram__throughput.avg.pct_of_peak_sustained_elapsed"), 50.0);
  EXPECT_LE(counters.at("dram__throughput.avg.pct_of_peak_sustained_elapsed"), 100.0);
  EXPECT_GT(counters.at("sm__warps_active.avg.pct_of_peak_sustained_active"), 50.0);
  EXPECT_NEAR(counters.at("smsp__thread_inst_executed_per_inst_executed.ratio"), 32.0, 0.5);
  // A range lasts longer than its launch, because the code is new to the GPU there (docs/measuring.md,
  // "Counters").
  constexpr double kMaxRangeNs = 6e4;
  const double median_ns = measurements_[0].time->median_ns;
  EXPECT_GT(counters.at("gpu__time_duration.sum"), 0.98 * median_ns);
  EXPECT_LT(counters.at("gpu__time_duration.sum"), 1.02 * median_ns + kMaxRangeNs);
}

TEST_F(GpuCounterTest, BankConflictsAndDivergenceAreAsConstructed) {
  const auto readings = count("warps", {},
                              {{{"STRIDE", std::int64_t{1}}},
                               {{"STRIDE", std::int64_t{2}}},
                               {{"STRIDE", std::int64_t{32}}},
                               {{"STRIDE", std::int64_t{1}}, {"SPLIT", true}}});
  if (!problem_.empty()) GTEST_SKIP() << problem_;
  ASSERT_EQ(readings.size(), 4U);
  const auto conflicts = [&](std::uint64_t id) {
    return readings.at(id).at("shared_bank_conflicts_per_access");
  };
  const auto threads = [&](std::uint64_t id) {
    return readings.at(id).at("smsp__thread_inst_executed_per_inst_executed.ratio");
  };
  EXPECT_NEAR(conflicts(0), 0.0, 0.05);
  EXPECT_NEAR(conflicts(1), 1.0, 0.1);
  EXPECT_NEAR(conflicts(2), 31.0, 3.0);
  EXPECT_NEAR(threads(0), 32.0, 0.1);
  EXPECT_NEAR(threads(3), 16.0, 1.0);
}

TEST_F(GpuCounterTest, ReadingsOfSeveralBatchesKeepTheirIds) {
  RunnerOptions options;
  options.counter_batch = 2;
  const auto readings = count("warps", options,
                              {{{"STRIDE", std::int64_t{32}}},
                               {{"STRIDE", std::int64_t{1}}},
                               {{"STRIDE", std::int64_t{32}}},
                               {{"STRIDE", std::int64_t{1}}},
                               {{"STRIDE", std::int64_t{32}}}});
  if (!problem_.empty()) GTEST_SKIP() << problem_;
  ASSERT_EQ(readings.size(), 5U);
  for (const auto& [id, counters] : readings) {
    const bool conflicting = id % 2 == 0;
    EXPECT_EQ(counters.at("shared_bank_conflicts_per_access") > 10.0, conflicting) << id;
  }
}

TEST_F(GpuCounterTest, MetricsOfSeveralPassesRepeatTheLaunch) {
  RunnerOptions options;
  options.metrics = {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "lts__t_sector_hit_rate.pct",
                     "dram__bytes.sum"};
  const auto readings = count("copy", options, {{}, {}});
  if (!problem_.empty()) GTEST_SKIP() << problem_;
  ASSERT_EQ(readings.size(), 2U);
  for (const auto& [id, counters] : readings) {
    EXPECT_EQ(counters.size(), 3U);
    EXPECT_GT(counters.at("sm__throughput.avg.pct_of_peak_sustained_elapsed"), 1.0);
    EXPECT_NEAR(counters.at("dram__bytes.sum"), 1.07e9, 0.1e9);
  }
}

TEST_F(GpuCounterTest, FurtherPassesOverABatchKeepTheirIds) {
  RunnerOptions options;
  options.counter_batch = 4;
  options.metrics = {"shared_bank_conflicts_per_access", "lts__t_sector_hit_rate.pct",
                     "lts__throughput.avg.pct_of_peak_sustained_elapsed"};
  ASSERT_GT(plan_passes(enumerate_gpus().gpus.at(0).chip, options.metrics).passes, 1U);
  std::vector<model::NamedValues> configurations;
  for (int i = 0; i < 6; ++i) configurations.push_back({{"STRIDE", std::int64_t{i % 2 == 0 ? 32 : 1}}});
  const auto readings = count("warps", options, configurations);
  if (!problem_.empty()) GTEST_SKIP() << problem_;
  ASSERT_EQ(readings.size(), 6U);
  for (const auto& [id, counters] : readings) {
    EXPECT_NEAR(counters.at("shared_bank_conflicts_per_access"), id % 2 == 0 ? 31.0 : 0.0, 3.0) << id;
    EXPECT_GT(counters.at("lts__throughput.avg.pct_of_peak_sustained_elapsed"), 0.0) << id;
    EXPECT_EQ(counters.count("gpu__time_duration.sum"), 0U) << "nobody asked for it";
  }
}

TEST_F(GpuCounterTest, FurtherPassesRestoreWhatAKernelChanges) {
  RunnerOptions options;
  options.counter_batch = 2;
  options.metrics = {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "smsp__inst_executed.sum"};
  const auto readings =
      count("accumulate", options, {{{"BLOCK", std::int64_t{128}}}, {{"BLOCK", std::int64_t{256}}}});
  if (!problem_.empty()) GTEST_SKIP() << problem_;
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_GT(readings.at(0).at("smsp__inst_executed.sum"), 0.0);
}

// Ten of the configurations are hopeless: the first and the ninth of them are counted, and both contenders
// are.
TEST_F(GpuCounterTest, ContendersAreCountedAndASampleOfWhatIsDroppedAtOnce) {
  for (const bool all : {false, true}) {
    RunnerOptions options;
    options.count_all = all;
    RunnerUnderTest spin("spin", {}, options);
    if (!spin.runner().counter_problem().empty()) GTEST_SKIP() << spin.runner().counter_problem();
    std::set<std::uint64_t> counted;
    for (std::uint64_t id = 0; id < 12; ++id) {
      const bool contender = id == 0 || id == 5;
      const std::int64_t wait_ns = contender ? 100000 : 1000000;
      const Measurement measurement = spin.evaluate({{"WAIT_NS", wait_ns}}, id, id == 0 ? 0.0 : 102000.0);
      ASSERT_EQ(measurement.status, contender ? Status::kMeasured : Status::kDropped) << measurement.reason;
      if (spin.runner().has_counted_last()) counted.insert(id);
    }
    std::set<std::uint64_t> read;
    for (const CounterReading& reading : spin.runner().take_counters(true)) read.insert(reading.id);
    EXPECT_EQ(read, counted);
    if (all) {
      EXPECT_EQ(counted.size(), 12U);
    } else {
      EXPECT_EQ(counted, (std::set<std::uint64_t>{0, 1, 5, 10}));
    }
  }
}

TEST_F(GpuCounterTest, WhatIsEvaluatedBeforeCountingStartsIsCountedLater) {
  RunnerOptions options;
  options.defer_counting = true;
  options.counter_batch = 3;
  RunnerUnderTest spin("spin", {}, options);
  for (std::uint64_t id = 0; id < 4; ++id) {
    EXPECT_EQ(spin.runner().has_full_batch(), id == 3) << id;
    ASSERT_EQ(spin.evaluate({{"WAIT_NS", std::int64_t{100000}}}, id).status, Status::kMeasured);
    EXPECT_TRUE(spin.runner().has_counted_last()) << "it will be";
  }
  EXPECT_TRUE(spin.runner().take_counters(false).empty());
  spin.runner().start_counting();
  if (!spin.runner().counter_problem().empty()) GTEST_SKIP() << spin.runner().counter_problem();
  EXPECT_FALSE(spin.runner().has_full_batch());
  ASSERT_EQ(spin.evaluate({{"WAIT_NS", std::int64_t{100000}}}, 4).status, Status::kMeasured);
  std::set<std::uint64_t> read;
  for (const CounterReading& reading : spin.runner().take_counters(true)) {
    EXPECT_FALSE(reading.counters.empty()) << reading.id;
    read.insert(reading.id);
  }
  EXPECT_EQ(read, (std::set<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST_F(GpuCounterTest, AnOpenSessionDoesNotDistortTimes) {
  RunnerUnderTest counted("spin", {}, {});
  if (!counted.runner().counter_problem().empty()) GTEST_SKIP() << counted.runner().counter_problem();
  for (std::uint64_t id = 0; id < 3; ++id) {
    const Measurement measurement = counted.evaluate({{"WAIT_NS", std::int64_t{100000}}}, id);
    ASSERT_EQ(measurement.status, Status::kMeasured) << measurement.reason;
    EXPECT_NEAR(measurement.time->median_ns, 102000.0, 4000.0);
    std::cout << "in an open session: " << measurement.time->median_ns << " ns, evaluation "
              << measurement.measure_ms << " ms\n";
  }
  EXPECT_EQ(counted.runner().take_counters(true).size(), 3U);
}

}  // namespace
}  // namespace warptune::profiling::counters
