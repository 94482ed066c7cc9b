// Rows that a session took from a recording: their mark, and that they never stand in for measured rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "db/storage/schema.h"
#include "db/storage/sqlite.h"
#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Undoes versions 10 and 9 of the schema.
const std::string kToEighthSchema = std::string(testing::kUndoReplays) + R"sql(
    CREATE VIEW winner AS SELECT workload_id FROM configuration;
    PRAGMA user_version = 8;)sql";

class ReplayedRowsTest : public ::testing::Test {
 protected:
  static std::int64_t begin(Store& store, bool replayed) {
    Session session = testing::session();
    session.source = replayed ? model::RowSource::kReplayed : model::RowSource::kMeasured;
    return store.begin_session(session);
  }

  static std::int64_t add(Store& store, std::int64_t session, std::int64_t block, double time_ns,
                          bool replayed) {
    model::Measurement row = testing::measured(testing::configuration(block), time_ns);
    row.source = replayed ? model::RowSource::kReplayed : model::RowSource::kMeasured;
    return store.add_measurement(session, row);
  }

  // The block of the winner, followed by `r` if it was replayed.
  static std::string best(const Store& store, const char* objective = "time") {
    const std::vector<Winner> winners = store.winners("vector-add", "", model::Objective::parse(objective));
    if (winners.empty()) return "";
    const model::Measurement& best = winners.front().best;
    return model::to_text(*model::find(best.configuration, "BLOCK")) +
           (best.source == model::RowSource::kReplayed ? "r" : "");
  }

  static std::vector<bool> marks(const Store& store) {
    std::vector<bool> marks;
    for (const StoredMeasurement& row : store.measurements(testing::workload()))
      marks.push_back(row.measurement.source == model::RowSource::kReplayed);
    return marks;
  }

  // What the triggers keep, computed from all rows.
  void expect_kept_as_rows_say() {
    storage::Database database(folder_ / "w.db", storage::OpenMode::kReadOnly);
    EXPECT_EQ(database.integer("SELECT count(*) FROM configuration WHERE latest_id IS NOT (SELECT id FROM "
                               "measurement WHERE configuration_id = configuration.id ORDER BY replayed, id "
                               "DESC LIMIT 1)"),
              0);
    EXPECT_EQ(database.integer("SELECT count(*) FROM configuration WHERE latest_replayed IS NOT coalesce("
                               "(SELECT replayed FROM measurement WHERE id = latest_id), 0)"),
              0);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ReplayedRowsTest, KeepTheirMarkAndFitTheirChecksums) {
  Store store(folder_ / "w.db");
  add(store, begin(store, true), 64, 50.0, true);
  add(store, begin(store, false), 128, 60.0, false);
  EXPECT_THAT(marks(store), ElementsAre(true, false));
  EXPECT_THAT(store.damage(), IsEmpty());
  storage::Database(folder_ / "w.db", storage::OpenMode::kReadWrite)
      .execute("UPDATE measurement SET replayed = 0");
  EXPECT_THAT(store.damage(), SizeIs(2));  // The row, and its configuration, which repeats the mark.
}

TEST_F(ReplayedRowsTest, NeverTakeThePlaceOfMeasuredRows) {
  Store store(folder_ / "w.db");
  const std::int64_t replay = begin(store, true);
  add(store, replay, 64, 50.0, true);
  EXPECT_EQ(best(store), "64r");
  const std::int64_t measuring = begin(store, false);
  add(store, measuring, 128, 70.0, false);
  EXPECT_EQ(best(store), "128");  // Although the replayed time is shorter.
  const std::int64_t own = add(store, measuring, 64, 60.0, false);
  EXPECT_EQ(best(store), "64");
  const std::int64_t again = add(store, replay, 64, 40.0, true);  // A later replay changes nothing.
  EXPECT_EQ(best(store), "64");
  EXPECT_THAT(marks(store), ElementsAre(false, false));
  EXPECT_EQ(store.latest_measurement(testing::workload(), testing::configuration(64))->id, own);
  expect_kept_as_rows_say();
  storage::Database database(folder_ / "w.db", storage::OpenMode::kReadWrite);
  database.execute(
      ("PRAGMA foreign_keys = OFF; DELETE FROM measurement WHERE id = " + std::to_string(own)).c_str());
  expect_kept_as_rows_say();
  EXPECT_EQ(store.latest_measurement(testing::workload(), testing::configuration(64))->id, again);
  database.execute("DELETE FROM measurement");
  expect_kept_as_rows_say();
}

TEST_F(ReplayedRowsTest, RankBehindMeasuredOnesByEveryObjectiveAndWhereTheFastestRowIsDamaged) {
  Store store(folder_ / "w.db");
  add(store, begin(store, true), 64, 50.0, true);
  const std::int64_t measuring = begin(store, false);
  add(store, measuring, 128, 70.0, false);
  add(store, measuring, 256, 80.0, false);
  EXPECT_EQ(best(store, "time * 2"), "128");
  storage::Database(folder_ / "w.db", storage::OpenMode::kReadWrite)
      .execute("UPDATE measurement SET reason = 'x' WHERE median_ns = 70.0");
  EXPECT_EQ(best(store), "256");
}

TEST_F(ReplayedRowsTest, AreNoDefaultOfAMeasuredWinner) {
  Store store(folder_ / "w.db");
  const std::int64_t block =
      std::get<std::int64_t>(*model::find(testing::session().default_configuration, "BLOCK"));
  add(store, begin(store, true), block, 500.0, true);
  const auto default_ns = [&] {
    const Winner winner = store.winners("vector-add", "").at(0);
    return winner.default_measurement ? winner.default_measurement->time->median_ns : 0.0;
  };
  EXPECT_EQ(default_ns(), 500.0);
  const std::int64_t measuring = begin(store, false);
  add(store, measuring, 2 * block, 70.0, false);
  EXPECT_EQ(default_ns(), 0.0);
  add(store, measuring, block, 90.0, false);
  EXPECT_EQ(default_ns(), 90.0);
}

TEST_F(ReplayedRowsTest, AreSampledToo) {
  Store store(folder_ / "w.db");
  const std::int64_t replay = begin(store, true);
  for (int i = 1; i <= 500; ++i) add(store, replay, i, 1000.0 + i * 7 % 499, true);
  const MeasurementSample sample = store.sampled_measurements(testing::workload(), 100);
  EXPECT_EQ(sample.known, 500U);
  EXPECT_TRUE(std::any_of(sample.rows.begin(), sample.rows.end(), [](const StoredMeasurement& row) {
    return row.measurement.time->median_ns == 1000.0;
  }));
}

TEST_F(ReplayedRowsTest, OfKernelsWithOneHashGiveWayToo) {
  Store store(folder_ / "w.db");
  add(store, begin(store, false), 64, 50.0, false);
  Session twin = testing::session();
  twin.workload.kernel = "twin";
  twin.source = model::RowSource::kReplayed;
  add(store, store.begin_session(twin), 64, 40.0, true);
  EXPECT_THAT(marks(store), ElementsAre(false));
  EXPECT_EQ(store.latest_measurement(testing::workload(), testing::configuration(64))->measurement.source,
            model::RowSource::kMeasured);
}

TEST_F(ReplayedRowsTest, OfTheEighthSchemaAreRecognisedByTheirSessions) {
  {
    Store store(folder_ / "w.db");
    const std::int64_t replay = begin(store, true);
    add(store, replay, 64, 50.0, false);  // As earlier versions stored it: without the mark.
    add(store, replay, 32, 40.0, false);
    const std::int64_t measuring = begin(store, false);
    add(store, measuring, 64, 90.0, false);
    add(store, replay, 64, 45.0, false);
    add(store, replay, 16, 30.0, false);
  }
  storage::Database(folder_ / "w.db", storage::OpenMode::kReadWrite)
      .execute(
          (std::string("UPDATE measurement SET median_ns = 1.0 WHERE median_ns = 30.0;") + kToEighthSchema)
              .c_str());
  const Store store(folder_ / "w.db");
  EXPECT_THAT(store.damage(), SizeIs(1));  // What was damaged before still looks so.
  EXPECT_EQ(best(store), "64");
  const std::optional<StoredMeasurement> row = store.measurement(2);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->measurement.source, model::RowSource::kReplayed);
  EXPECT_THAT(marks(store), ElementsAre(true, false));
  expect_kept_as_rows_say();
}

TEST_F(ReplayedRowsTest, AnUnknownCacheStateIsAWorkloadOfItsOwn) {
  Store store(folder_ / "w.db");
  Session session = testing::session();
  session.workload.cache = model::CacheState::kUnknown;
  add(store, store.begin_session(session), 64, 50.0, false);
  EXPECT_THAT(store.measurements(testing::workload()), IsEmpty());
  EXPECT_THAT(store.measurements(session.workload), SizeIs(1));
  EXPECT_EQ(store.winners("vector-add", "").at(0).workload.cache, model::CacheState::kUnknown);
}

}  // namespace
}  // namespace warptune::db
