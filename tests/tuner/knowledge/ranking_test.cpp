#include "tuner/knowledge/ranking.h"

#include <gtest/gtest.h>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::knowledge {
namespace {

db::StoredMeasurement stored(std::int64_t id, const model::Measurement& measurement) {
  db::StoredMeasurement row;
  row.id = id;
  row.measurement = measurement;
  return row;
}

// Rows 1 to 4: X=1 of 2000 ns, X=2 of 1000 ns, X=3 failed, X=4 (the default) dropped at 3000 ns.
Ranking ranking(const std::string& objective = "time") {
  std::vector<db::StoredMeasurement> rows = {
      stored(1, testing::measured(testing::at(1), 2000.0)),
      stored(2, testing::measured(testing::at(2), 1000.0)),
      stored(3, testing::failed(testing::at(3), model::Status::kWrongResult, "wrong")),
      stored(4, testing::dropped(testing::at(4), 3000.0))};
  rows[0].measurement.resources.registers_per_thread = 16;
  rows[1].measurement.resources.registers_per_thread = 32;
  return {std::move(rows), model::Objective::parse(objective), testing::at(4)};
}

std::vector<std::int64_t> ids_of(const Ranking& ranking) {
  std::vector<std::int64_t> ids;
  for (const RatedRow& row : ranking.rows()) ids.push_back(row.stored.id);
  return ids;
}

model::TimeSummary time_of(double median_ns) { return {median_ns}; }

TEST(RankingTest, OnlyMeasuredRowsAreRankedTheFastestFirst) {
  const Ranking ranked = ranking();
  EXPECT_EQ(ids_of(ranked), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(ranked.best()->stored.id, 2);
  EXPECT_EQ(Ranking({}, model::Objective(), {}).best(), nullptr);
}

TEST(RankingTest, ADefaultThatWasDroppedIsKnownAndRankedOnceItHasATime) {
  Ranking ranked = ranking();
  ASSERT_TRUE(ranked.dropped_default());
  EXPECT_EQ(ranked.default_row()->id, 4);
  ranked.set_time(4, time_of(1500.0), {1500.0});
  EXPECT_FALSE(ranked.dropped_default());
  EXPECT_EQ(ids_of(ranked), (std::vector<std::int64_t>{2, 4, 1}));
  EXPECT_EQ(ranked.default_row()->measurement.status, model::Status::kMeasured);
}

TEST(RankingTest, ANewTimeChangesTheOrder) {
  Ranking ranked = ranking();
  ranked.set_time(1, time_of(500.0), {500.0, 501.0});
  EXPECT_EQ(ids_of(ranked), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(ranked.best()->stored.measurement.samples_ns.size(), 2U);
}

TEST(RankingTest, ThePreferredRowIsTheBestWhileItIsAtMostOnePercentSlower) {
  Ranking ranked = ranking();
  ranked.set_preferred(1);
  EXPECT_EQ(ranked.best()->stored.id, 2) << "twice as slow";
  ranked.set_time(1, time_of(1010.0), {});
  EXPECT_EQ(ranked.best()->stored.id, 1);
  ranked.set_time(1, time_of(1011.0), {});
  EXPECT_EQ(ranked.best()->stored.id, 2);
}

TEST(RankingTest, AnotherObjectiveThanTheTimeRanksByItsValueAndPrefersNothing) {
  Ranking ranked = ranking("time * registers * registers");
  EXPECT_EQ(ids_of(ranked), (std::vector<std::int64_t>{1, 2}));
  ranked.set_time(2, time_of(501.0), {});
  ranked.set_preferred(2);
  EXPECT_EQ(ranked.best()->stored.id, 1);
}

TEST(RankingTest, WhatIsRemovedIsCountedAndNeitherRankedNorTheDefault) {
  Ranking ranked = ranking();
  ranked.remove(2);
  ranked.remove(4);
  EXPECT_EQ(ids_of(ranked), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(ranked.default_row(), nullptr);
  EXPECT_EQ(ranked.removed(), 2U);
}

TEST(RankingTest, ImportedRowsFollowAllOthersHoweverFastTheyAre) {
  std::vector<db::StoredMeasurement> rows = {stored(1, testing::measured(testing::at(1), 2000.0)),
                                             stored(2, testing::measured(testing::at(2), 1000.0)),
                                             stored(3, testing::measured(testing::at(3), 1990.0)),
                                             stored(4, testing::dropped(testing::at(4), 3000.0))};
  rows[1].measurement.source = model::RowSource::kImported;
  rows[2].measurement.source = model::RowSource::kReplayed;
  rows[2].preferred = true;
  const Ranking ranked(rows, model::Objective(), testing::at(2));
  EXPECT_EQ(ids_of(ranked), (std::vector<std::int64_t>{1, 3, 2}));
  EXPECT_EQ(ranked.best()->stored.id, 1) << "the preferred row is near it, but it was replayed";
  EXPECT_EQ(ranked.default_row(), nullptr) << "an imported default is not compared with a measured best";
  EXPECT_TRUE(ranked.is_below_best(rows[1]));
  rows[3].measurement.source = model::RowSource::kImported;
  EXPECT_EQ(Ranking(rows, model::Objective(), testing::at(4)).default_row(), nullptr);
}

}  // namespace
}  // namespace warptune::tuner::knowledge
