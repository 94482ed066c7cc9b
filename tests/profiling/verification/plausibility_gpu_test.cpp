// Tests with real launches: the bytes that a launch must write are known, and its time and counters are above
// the lower bounds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "profiling/verification/finalist_errors.h"
#include "profiling/verification/plausibility.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::verification {
namespace {

using model::Measurement;
using model::Status;
using ::testing::SizeIs;

class GpuPlausibilityTest : public GpuTest {
 protected:
  // Counters are checked if they may be read.
  static Measurement counted(RunnerUnderTest& under_test, const model::NamedValues& changes) {
    Measurement measurement = under_test.evaluate(changes, 7);
    for (const CounterReading& reading : under_test.runner().take_counters(true)) {
      if (reading.id == 7) measurement.counters.insert(reading.counters.begin(), reading.counters.end());
    }
    return measurement;
  }
};

TEST_F(GpuPlausibilityTest, AnHonestCopyIsBeyondEveryBound) {
  RunnerUnderTest copy("copy", {}, {});
  const Measurement row = counted(copy, {});
  ASSERT_EQ(row.status, Status::kMeasured) << row.reason;
  EXPECT_EQ(row.counters.at("bytes_to_write"), 4.0 * 134217728.0);
  const PlausibilityCheck check(
      copy.instance().gpu(), model::CacheState::kCold, copy.runner().roofs(),
      declared_work(copy.instance().definition(), copy.instance().problem(), copy.instance().work()));
  const std::vector<PlausibilityBound> bounds = check.bounds(row);
  for (const PlausibilityBound& bound : bounds) {
    std::cout << to_string(bound.kind) << ": " << bound.ratio() << '\n';
    EXPECT_TRUE(bound.holds()) << to_string(bound.kind) << ": " << bound.observed << " of " << bound.minimum;
  }
  if (!copy.runner().counter_problem().empty()) GTEST_SKIP() << copy.runner().counter_problem();
  EXPECT_EQ(row.counters.count("lts__t_sectors_op_write.sum"), 1U);
  EXPECT_THAT(bounds, SizeIs(5));  // The kernel declares no flops.
}

TEST_F(GpuPlausibilityTest, WhatTheReferenceLeavesAloneNeedNotBeWritten) {
  RunnerUnderTest rows("rounded_rows", {}, {});
  const Measurement row = counted(rows, {});
  ASSERT_EQ(row.status, Status::kMeasured) << row.reason;
  EXPECT_EQ(row.counters.at("bytes_to_write"), 4096.0 * 1000.0 * 4.0);
  const PlausibilityCheck check(rows.instance().gpu(), model::CacheState::kCold, rows.runner().roofs(), {});
  const auto verdict = check.verdict(row);
  EXPECT_FALSE(verdict) << verdict->reason;
}

TEST_F(GpuPlausibilityTest, AHostProgramHasNoBound) {
  RunnerUnderTest pipeline("host_pipeline", {}, without_counters());
  const Measurement row = pipeline.evaluate({});
  ASSERT_EQ(row.status, Status::kMeasured) << row.reason;
  EXPECT_EQ(row.counters.count("bytes_to_write"), 0U);
}

TEST_F(GpuPlausibilityTest, TheFinalsKnowHowFarEachIsFromTheReference) {
  RunnerUnderTest rows("rounded_rows", {}, without_counters());
  std::vector<kernel_templates::CompiledKernel> compiled;
  std::vector<KernelRunner::Finalist> finalists;
  for (const auto& [rounded, block] : {std::pair(false, 128), std::pair(true, 128), std::pair(false, 256)}) {
    const auto configuration =
        with(rows.instance(), {{"ROUNDED", rounded}, {"BLOCK", static_cast<std::int64_t>(block)}});
    EXPECT_EQ(rows.evaluate(configuration).status, Status::kMeasured);
    compiled.push_back(rows.compile(configuration));
    finalists.push_back({configuration, nullptr});
  }
  for (std::size_t i = 0; i < finalists.size(); ++i) finalists[i].compiled = &compiled[i];
  const std::vector<timing::FinalistTiming> timings = rows.runner().time_interleaved(finalists, 3);
  ASSERT_THAT(timings, SizeIs(3));
  EXPECT_LE(timings[0].errors.at("error_max_ulp"), 1.0);
  EXPECT_GT(timings[1].errors.at("error_max_ulp"), 1000.0);
  EXPECT_LT(timings[1].errors.at("error_max_relative"), 1e-2);
  const std::vector<ImpreciseFinalist> imprecise = imprecise_finalists(timings);
  ASSERT_THAT(imprecise, SizeIs(1));
  EXPECT_EQ(imprecise[0].index, 1U);
  // Later evaluations measure errors only if they are asked to.
  EXPECT_EQ(rows.evaluate({}).counters.count("error_max_ulp"), 0U);
}

}  // namespace
}  // namespace warptune::profiling::verification
