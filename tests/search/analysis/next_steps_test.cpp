#include "search/analysis/next_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>

#include "search/analysis/metric_changes.h"
#include "search/analysis/modelled_importance.h"
#include "tests/search/analysis/analysis_data.h"

namespace warptune::search::analysis {
namespace {

using model::constraints;
using model::integers;
using model::one_to;
using ::testing::HasSubstr;

NextSteps next_steps_of_recording(const model::Recording& recording) {
  const TimedRows rows = timed_rows(recording);
  const std::optional<ModelledImportance> modelled = importance_over_space(rows, recording.space());
  return next_steps_of(rows, modelled ? modelled->model.get() : nullptr);
}

// Doubling TILE gains 10 %. IDLE has no effect.
model::Recording tiles(const std::vector<std::string>& rules = {}) {
  return recording_of(
      {model::integers("TILE", {8, 16, 32}), model::one_to("OTHER", 10), model::one_to("IDLE", 2)},
      model::constraints(rules), [](model::Measurement& row) {
        set_time(row, 1e5 * (1.2 - 0.1 * std::log2(number(row, "TILE") / 8.0)) *
                          (1.0 + 0.01 * number(row, "OTHER")));
      });
}

TEST(NextSteps, SaysWhatToTryBeyondTheBorder) {
  const NextSteps next_steps = next_steps_of_recording(tiles());
  ASSERT_EQ(next_steps.borders.size(), 1U);
  const BorderTrend& trend = next_steps.borders.front();
  EXPECT_EQ(trend.parameter, "TILE");
  EXPECT_EQ(trend.value, model::Value(std::int64_t{32}));
  EXPECT_EQ(trend.next, model::Value(std::int64_t{64}));
  EXPECT_EQ(trend.effect.pairs, 20U);
  EXPECT_NEAR(trend.effect.ratio.value().median, 1.0 / 1.1, 1e-9);
  ASSERT_TRUE(trend.best_ratio);
  EXPECT_NEAR(*trend.best_ratio, 1.0 / 1.1, 1e-9);
  EXPECT_EQ(trend.limit, "");
}

TEST(NextSteps, NamesTheConstraintThatStopsIt) {
  const NextSteps next_steps = next_steps_of_recording(tiles({"TILE <= 32"}));
  ASSERT_EQ(next_steps.borders.size(), 1U);
  EXPECT_EQ(next_steps.borders.front().limit, "TILE <= 32");
}

TEST(NextSteps, NamesTheGpusLimitThatStopsIt) {
  model::Recording recording = tiles();
  recording.workload.gpu = model::fictional_gpu();
  for (model::Measurement& row : recording.measurements)
    row.resources.threads_per_block = static_cast<std::int64_t>(number(row, "TILE")) * 32;
  const NextSteps next_steps = next_steps_of_recording(recording);
  ASSERT_EQ(next_steps.borders.size(), 1U);
  EXPECT_THAT(next_steps.borders.front().limit, HasSubstr("1024 threads"));
}

TEST(NextSteps, FindsNoTrendWhereTheBestLiesWithin) {
  const model::Recording recording = recording_of(
      {model::integers("TILE", {8, 16, 32}), model::one_to("OTHER", 10)}, {}, [](model::Measurement& row) {
        set_time(row, (number(row, "TILE") == 16 ? 1e5 : 1.2e5) * (1.0 + 0.01 * number(row, "OTHER")));
      });
  EXPECT_TRUE(next_steps_of_recording(recording).borders.empty());
}

TEST(NextSteps, NamesParametersThatDoNothing) {
  const NextSteps next_steps = next_steps_of_recording(tiles());
  ASSERT_EQ(next_steps.idle.size(), 1U);
  EXPECT_EQ(next_steps.idle.front().parameter, "IDLE");
  EXPECT_EQ(next_steps.idle.front().values, 2U);
  EXPECT_DOUBLE_EQ(next_steps.idle.front().largest_effect, 0.0);
}

TEST(NextSteps, NamesValuesThatNeverWorkAndThatAreAlwaysSlow) {
  const model::Recording recording = recording_of(
      {model::integers("VECTOR", {1, 2, 4}), model::one_to("OTHER", 10)}, {}, [](model::Measurement& row) {
        set_time(row, number(row, "VECTOR") == 1 ? 3e5 : 1e5);
        if (number(row, "VECTOR") != 4) return;
        row.status = model::Status::kLaunchFailed;
        row.reason = "misaligned address\nand more";
      });
  const NextSteps next_steps = next_steps_of_recording(recording);
  ASSERT_EQ(next_steps.failing.size(), 1U);
  EXPECT_EQ(next_steps.failing.front().value, model::Value(std::int64_t{4}));
  EXPECT_EQ(next_steps.failing.front().rows, 10U);
  EXPECT_EQ(next_steps.failing.front().status, "launch_failed");
  EXPECT_EQ(next_steps.failing.front().reason, "misaligned address");
  ASSERT_EQ(next_steps.slow.size(), 1U);
  EXPECT_EQ(next_steps.slow.front().value, model::Value(std::int64_t{1}));
  EXPECT_DOUBLE_EQ(next_steps.slow.front().ratio, 3.0);
}

TEST(NextSteps, SaysHowNearTheRoofIs) {
  model::Recording recording = tiles();
  recording.work.bytes = 4e12 * 50e-6;  // 50 us at the roof.
  recording.roofs.copy_bytes_per_s = 4e12;
  const TimedRows rows = timed_rows(recording);
  EXPECT_NEAR(next_steps_of(rows, nullptr).roof_share.value(), 5e4 / 1.01e5, 1e-9);
}

TEST(NextSteps, OfNothingMeasuredIsEmpty) {
  const model::Recording recording = recording_of({model::one_to("A", 10)}, {}, [](model::Measurement& row) {
    row.status = model::Status::kCompileFailed;
  });
  const NextSteps next_steps = next_steps_of_recording(recording);
  EXPECT_TRUE(next_steps.failing.empty());
  EXPECT_TRUE(next_steps.borders.empty());
}

// Conflicts correlate with the time, instructions do not, and the rate restates the time.
model::Recording counted() {
  return recording_of({model::integers("PAD", {0, 1}), model::one_to("OTHER", 20)}, {},
                      [](model::Measurement& row) {
                        const double conflicts = number(row, "PAD") > 0 ? 1e4 : 1e6 + number(row, "OTHER");
                        set_time(row, 1e5 + conflicts + 10.0 * number(row, "OTHER"));
                        row.counters = {{"conflicts.sum", conflicts},
                                        {"instructions.sum", 1e6 + 1e5 * number(row, "OTHER")},
                                        {"rate.per_second", 1e9 / row.time->median_ns},
                                        {"constant.sum", 5.0},
                                        {"first_launch_ns", row.time->median_ns}};
                      });
}

TEST(MetricChanges, ListWhatMovedAndNotWhatRestatesTheTime) {
  const model::Recording recording = counted();
  const TimedRows rows = timed_rows(recording);
  const MetricChanges changes(rows);
  const std::vector<MetricChange> moved =
      changes.between(recording.measurements.front(), recording.measurements.back());
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved[0].name, "conflicts.sum");  // It is first because it correlates with the time.
  EXPECT_EQ(moved[0].before, 1e6 + 1.0);
  EXPECT_EQ(moved[0].after, 1e4);
  EXPECT_FALSE(moved[0].is_resource);
  EXPECT_EQ(moved[1].name, "instructions.sum");
  EXPECT_GT(moved[0].weight, moved[1].weight);
}

TEST(MetricChanges, AreNoneBetweenEquals) {
  const model::Recording recording = counted();
  const MetricChanges changes(timed_rows(recording));
  EXPECT_TRUE(changes.between(recording.measurements[3], recording.measurements[3]).empty());
}

TEST(MetricChanges, ListOneOfThoseThatGoTogether) {
  model::Recording recording = counted();
  for (model::Measurement& row : recording.measurements)
    row.counters["twice.sum"] = 2.0 * row.counters["conflicts.sum"];
  const MetricChanges changes(timed_rows(recording));
  EXPECT_EQ(changes.between(recording.measurements.front(), recording.measurements.back()).size(), 2U);
}

}  // namespace
}  // namespace warptune::search::analysis
