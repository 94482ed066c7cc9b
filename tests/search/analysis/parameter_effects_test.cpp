#include "search/analysis/parameter_effects.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/search/analysis/analysis_data.h"

namespace warptune::search::analysis {
namespace {

using model::constraints;
using model::integers;

// Padding halves the time and removes 31 conflicts with all values of the other parameters.
model::Recording padded() {
  return recording_of({model::integers("PAD", {0, 1}), model::integers("BLOCK", {32, 64, 128}),
                       model::integers("TILE", {1, 2})},
                      {}, [](model::Measurement& row) {
                        const double pad = number(row, "PAD");
                        set_time(row, (100.0 + number(row, "BLOCK")) * number(row, "TILE") / (1.0 + pad));
                        row.counters["conflicts"] = pad > 0 ? 0.0 : 31.0;
                      });
}

TEST(ParameterEffects, PairsRowsThatDifferInOneParameterAlone) {
  const model::Recording recording = padded();
  const TimedRows rows = timed_rows(recording);
  const ParameterEffects effects(rows);
  const auto pairs = effects.pairs({1, 0, 2});
  ASSERT_EQ(pairs.size(), 4U);
  for (const auto& [from, to] : pairs) {
    model::Configuration changed = rows.configurations[from];
    EXPECT_EQ(changed[1], 0U);
    changed[1] = 2;
    EXPECT_EQ(changed, rows.configurations[to]);
  }
}

TEST(ParameterEffects, SaysWhatAChangeDidToTimeAndCounters) {
  const model::Recording recording = padded();
  const TimedRows rows = timed_rows(recording);
  const ParameterEffects effects(rows);
  const std::optional<ValueChange> change =
      effects.change_of("PAD", model::Value(std::int64_t{0}), model::Value(std::int64_t{1}));
  ASSERT_TRUE(change);
  const PairedEffect time = effects.time_effect(*change);
  EXPECT_EQ(time.pairs, 6U);
  EXPECT_DOUBLE_EQ(time.ratio.value().median, 0.5);
  EXPECT_DOUBLE_EQ(time.ratio.value().low, 0.5);
  EXPECT_DOUBLE_EQ(time.ratio.value().high, 0.5);
  const PairedEffect conflicts = effects.effect(*change, metric_named("conflicts"));
  EXPECT_DOUBLE_EQ(conflicts.before.value(), 31.0);
  EXPECT_DOUBLE_EQ(conflicts.after.value(), 0.0);
  EXPECT_DOUBLE_EQ(conflicts.difference.value().median, -31.0);
  EXPECT_FALSE(conflicts.ratio);  // The value after the change is zero.
  const PairedEffect absent = effects.effect(*change, metric_named("absent"));
  EXPECT_EQ(absent.pairs, 0U);
  EXPECT_FALSE(absent.before || absent.after || absent.difference || absent.ratio);
}

TEST(ParameterEffects, FindsNoPairWhereAConstraintTiesTwoParameters) {
  const model::Recording recording =
      recording_of({model::integers("A", {1, 2, 3}), model::integers("B", {1, 2, 3})},
                   model::constraints({"A == B"}), [](model::Measurement&) {});
  const TimedRows rows = timed_rows(recording);
  const ParameterEffects effects(rows);
  EXPECT_EQ(rows.size(), 3U);
  EXPECT_TRUE(effects.pairs({0, 0, 1}).empty());
  EXPECT_FALSE(effects.time_effect({0, 0, 1}).ratio);
}

TEST(ParameterEffects, FindsTheSiblingOfAConfiguration) {
  const model::Recording recording = padded();
  const TimedRows rows = timed_rows(recording);
  const ParameterEffects effects(rows);
  const model::Configuration from = rows.configurations.front();
  const std::optional<std::size_t> sibling = effects.sibling(from, 1, 2);
  ASSERT_TRUE(sibling);
  EXPECT_EQ(rows.configurations[*sibling], (model::Configuration{from[0], 2, from[2]}));
}

TEST(ParameterEffects, NamesThatTheSpaceLacksGiveNoChange) {
  const model::Recording recording = padded();
  const TimedRows rows = timed_rows(recording);
  const ParameterEffects effects(rows);
  const model::Value zero(std::int64_t{0});
  EXPECT_FALSE(effects.change_of("PADDING", zero, zero));
  EXPECT_FALSE(effects.change_of("PAD", zero, model::Value(std::int64_t{7})));
}

TEST(TimedRows, LeaveOutFailuresAndCountEstimates) {
  const model::Recording recording =
      recording_of({model::integers("A", {1, 2, 3, 4})}, {}, [](model::Measurement& row) {
        const double a = number(row, "A");
        set_time(row, 100.0 * a);
        if (a == 1) row.status = model::Status::kDropped;
        if (a == 4) row.status = model::Status::kWrongResult;
      });
  const TimedRows rows = timed_rows(recording);
  EXPECT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows.estimated, 1U);
  ASSERT_TRUE(rows.best());
  EXPECT_EQ(*rows.best(), 1U);  // A dropped row is never the best.
  EXPECT_EQ(near_best(rows, 1.2).size(), 2U);
}

TEST(TimedRows, OfSeveralSourcesOnlyTheRowsOfTheBestOneCount) {
  model::Recording recording =
      recording_of({model::integers("A", {1, 2, 3, 4})}, {}, [](model::Measurement& row) {
        set_time(row, 100.0 * number(row, "A"));
        row.source = number(row, "A") <= 2 ? model::RowSource::kImported : model::RowSource::kMeasured;
      });
  TimedRows rows = timed_rows(recording);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.measurements[*rows.best()]->time->median_ns, 300.0);
  EXPECT_EQ(near_best(rows, 2.0).size(), 2U);
  EXPECT_EQ(fastest_of(recording)->time->median_ns, 300.0);
  // A row that failed does not take the place of the imported ones.
  for (std::size_t i : {2U, 3U}) recording.measurements[i].status = model::Status::kWrongResult;
  EXPECT_EQ(timed_rows(recording).size(), 2U);
  EXPECT_EQ(fastest_of(recording)->time->median_ns, 100.0);
}

TEST(Metric, ReadsResourcesOnlyWhereTheyAreKnown) {
  model::Measurement row;
  row.time = model::TimeSummary{1.0};
  EXPECT_FALSE(metric_named("registers").value(row));
  row.resources.threads_per_block = 128;
  row.resources.registers_per_thread = 40;
  EXPECT_EQ(metric_named("registers").value(row), 40.0);
  EXPECT_EQ(metric_named("time").value(row), 1.0);
}

TEST(Metric, WhatRestatesTheTimeExplainsNothing) {
  const model::Recording recording =
      recording_of({model::integers("A", {1, 2})}, {}, [](model::Measurement& row) {
        row.counters = {{"gpu__time_duration.sum", 1.0}, {"smsp__inst_executed.sum", 2.0}};
      });
  const std::vector<Metric> metrics = explaining_metrics(timed_rows(recording));
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics.front().name, "smsp__inst_executed.sum");
}

}  // namespace
}  // namespace warptune::search::analysis
