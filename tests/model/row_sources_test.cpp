#include "model/row_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::model {
namespace {

using ::testing::ElementsAre;

struct Session {
  int id = 0;
  RowSource source = RowSource::kMeasured;
};

struct Stored {
  Measurement measurement;
};

Measurement row_of(RowSource source, Status status = Status::kMeasured) {
  Measurement row;
  row.source = source;
  row.status = status;
  return row;
}

std::vector<RowSource> kept(std::vector<Measurement> rows) {
  keep_best_source(rows);
  std::vector<RowSource> sources;
  for (const Measurement& row : rows) sources.push_back(row.source);
  return sources;
}

TEST(RowSourcesTest, OnlyRowsOfTheBestSourceAreKept) {
  const Measurement measured = row_of(RowSource::kMeasured);
  const Measurement replayed = row_of(RowSource::kReplayed);
  const Measurement imported = row_of(RowSource::kImported);
  EXPECT_THAT(kept({imported, measured, replayed, measured}),
              ElementsAre(RowSource::kMeasured, RowSource::kMeasured));
  EXPECT_THAT(kept({imported, replayed}), ElementsAre(RowSource::kReplayed));
  EXPECT_THAT(kept({imported}), ElementsAre(RowSource::kImported));
  EXPECT_THAT(kept({}), ElementsAre());
}

TEST(RowSourcesTest, ARowThatFailedDoesNotTakeThePlaceOfOnesWithATime) {
  const Measurement failed = row_of(RowSource::kMeasured, Status::kWrongResult);
  const Measurement imported = row_of(RowSource::kImported);
  EXPECT_THAT(kept({failed, imported}), ElementsAre(RowSource::kMeasured, RowSource::kImported));
  EXPECT_EQ(best_source(std::vector{failed, row_of(RowSource::kImported, Status::kDropped)}),
            RowSource::kMeasured);
}

TEST(RowSourcesTest, StoredRowsPointersAndSessionsHaveSourcesToo) {
  const std::vector<Stored> stored = {{row_of(RowSource::kImported)}, {row_of(RowSource::kReplayed)}};
  EXPECT_EQ(best_source(stored), RowSource::kReplayed);
  EXPECT_EQ(best_source(std::vector<const Measurement*>{&stored[0].measurement}), RowSource::kImported);
  const std::vector<Session> sessions = {
      {1, RowSource::kMeasured}, {2, RowSource::kMeasured}, {3, RowSource::kImported}};
  EXPECT_EQ(last_of_best_source(sessions)->id, 2);
  EXPECT_EQ(last_of_best_source(std::vector<Session>()), nullptr);
}

}  // namespace
}  // namespace warptune::model
