#include "db/row_extract.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "db/storage/schema.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::SizeIs;

class RowExtractTest : public ::testing::Test {
 protected:
  // A database with one session and rows of 100, 90 and 80 ns.
  fs::path filled() {
    const fs::path path = folder_ / "whole.db";
    Store store(path);
    session_ = store.begin_session(testing::session());
    for (int i = 0; i < 3; ++i)
      store.add_measurement(session_, testing::measured(testing::configuration(32 << i), 100.0 - 10.0 * i));
    return path;
  }

  testing::TemporaryFolder folder_;
  std::int64_t session_ = 0;
};

TEST_F(RowExtractTest, RevisionsTellWhatHasChanged) {
  const fs::path path = filled();
  const RowRevisions before = row_revisions(path);
  EXPECT_THAT(before.measurements, SizeIs(3));
  EXPECT_THAT(before.sessions, ElementsAre(Key(session_)));
  EXPECT_EQ(row_revisions(path), before);
  Store store(path);
  store.set_counters(2, {{"registers", 32.0}});
  const RowRevisions after = row_revisions(path);
  EXPECT_NE(after, before);
  EXPECT_GT(after.measurements.at(2), before.measurements.at(2));
  EXPECT_EQ(after.measurements.at(1), before.measurements.at(1));
  store.set_search_state(session_, "state");
  EXPECT_EQ(row_revisions(path), after) << "a saved search stays in its file";
  store.finish_session(session_, 7);
  EXPECT_GT(row_revisions(path).sessions.at(session_), after.sessions.at(session_));
}

TEST_F(RowExtractTest, RowsOfAScratchDatabaseCanBeRolledBack) {
  storage::Database scratch = storage::make_scratch(folder_ / "scratch.db");
  scratch.execute("BEGIN; SAVEPOINT row; INSERT INTO kernel(name, hash) VALUES('k', 'h')");
  EXPECT_EQ(scratch.integer("SELECT count(*) FROM kernel"), 1);
  scratch.execute("ROLLBACK TO row; RELEASE row; COMMIT");
  EXPECT_EQ(scratch.integer("SELECT count(*) FROM kernel"), 0);
}

TEST_F(RowExtractTest, PartsGiveTheWholeInAnyOrder) {
  const fs::path path = filled();
  extract_rows(path, {1, 3}, {session_}, folder_ / "first.db");
  extract_rows(path, {2}, {session_}, folder_ / "second.db");
  EXPECT_THAT(Store::open_existing(folder_ / "first.db").measurements(testing::workload()), SizeIs(2));
  Store joined(folder_ / "joined.db");
  EXPECT_EQ(joined.merge(folder_ / "second.db").added, 1);
  EXPECT_EQ(joined.merge(folder_ / "first.db").added, 2);
  EXPECT_EQ(joined.merge(path).added, 0) << "these are the rows of the whole database";
  EXPECT_THAT(joined.damage(), IsEmpty());
  const std::vector<Winner> winners = joined.winners(testing::workload().kernel, "");
  ASSERT_THAT(winners, SizeIs(1));
  EXPECT_EQ(winners.front().best.time->median_ns, 80.0);
}

TEST_F(RowExtractTest, ALaterPartUpdatesARow) {
  const fs::path path = filled();
  extract_rows(path, {1, 2, 3}, {session_}, folder_ / "first.db");
  Store store(path);
  store.set_counters(3, {{"registers", 40.0}});
  extract_rows(path, {3}, {session_}, folder_ / "second.db");
  Store joined(folder_ / "joined.db");
  joined.merge(folder_ / "first.db");
  EXPECT_EQ(joined.merge(folder_ / "second.db").updated, 1);
  for (const StoredMeasurement& row : joined.measurements(testing::workload()))
    EXPECT_EQ(row.measurement.counters.contains("registers"), row.measurement.time->median_ns == 80.0);
}

TEST_F(RowExtractTest, ASessionWithoutRowsIsAPartToo) {
  const fs::path path = filled();
  extract_rows(path, {}, {session_}, folder_ / "empty.db");
  const Store empty = Store::open_existing(folder_ / "empty.db");
  EXPECT_THAT(empty.sessions(), SizeIs(1));
  EXPECT_EQ(empty.totals().measurements, 0);
}

TEST_F(RowExtractTest, ARowOfAnotherSessionBecomesOneOfTheSessionThatChangedIt) {
  const fs::path path = filled();
  Store store(path);
  const std::int64_t later = store.begin_session(testing::session());
  const RowRevisions before = row_revisions(path);
  store.set_time(2, {10.0, 9.0, 11.0}, {9.0, 10.0, 11.0});
  store.set_preferred(2);
  EXPECT_GT(row_revisions(path).measurements.at(2), before.measurements.at(2) + 1) << "both count";
  extract_rows(path, {2}, {later}, folder_ / "later.db");
  const Store extracted = Store::open_existing(folder_ / "later.db");
  EXPECT_THAT(extracted.sessions(), SizeIs(1));
  EXPECT_THAT(extracted.damage(), IsEmpty());
  extract_rows(path, {1, 2, 3}, {session_}, folder_ / "first.db");
  extract_rows(path, {1}, {later + 1}, folder_ / "none.db");
  EXPECT_EQ(Store::open_existing(folder_ / "none.db").totals().measurements, 0) << "no session can have it";
  Store joined(folder_ / "joined.db");
  joined.merge(folder_ / "later.db");
  joined.merge(folder_ / "first.db");
  EXPECT_EQ(joined.totals().measurements, 4);
  const std::vector<Winner> winners = joined.winners(testing::workload().kernel, "");
  ASSERT_THAT(winners, SizeIs(1));
  EXPECT_EQ(winners.front().best.time->median_ns, 10.0);
  EXPECT_EQ(joined.merge(folder_ / "later.db").added, 0) << "it is the same row each time";
}

TEST_F(RowExtractTest, NothingOfOtherSessionsIsExtracted) {
  const fs::path path = filled();
  Store store(path);
  store.set_roofs(testing::gpu(), {{"copy", 1e12, 0.0, {}, 1, {}}});
  const model::Workload other = testing::workload({{"N", std::int64_t{1}}}, testing::gpu(8, 0, 108, "A100"));
  const std::int64_t later = store.begin_session(testing::session(other));
  extract_rows(path, {}, {later}, folder_ / "later.db");
  const Store extracted = Store::open_existing(folder_ / "later.db");
  const Totals totals = extracted.totals();
  EXPECT_EQ(totals.sessions, 1);
  EXPECT_EQ(totals.workloads, 1);
  EXPECT_EQ(totals.gpus, 1);
  EXPECT_THAT(extracted.roofs(testing::gpu()), IsEmpty());
}

TEST_F(RowExtractTest, AnExistingFileIsNeverReplaced) {
  const fs::path path = filled();
  testing::spill(folder_ / "there.db", "mine");
  EXPECT_THROW(extract_rows(path, {1}, {session_}, folder_ / "there.db"), base::InputError);
  EXPECT_EQ(testing::slurp(folder_ / "there.db"), "mine");
  EXPECT_THROW(extract_rows(folder_ / "missing.db", {1}, {1}, folder_ / "new.db"), base::InputError);
  EXPECT_FALSE(fs::exists(folder_ / "new.db"));
}

void fill(const std::filesystem::path& path, int rows) {
  Store store(path);
  const std::int64_t session = store.begin_session(testing::session());
  for (int row = 0; row < rows; ++row)
    store.add_measurement(session, testing::measured(testing::configuration(row), 100.0 + row));
}

TEST(RowReplacementTest, AnOpenDatabaseGetsTheOtherContent) {
  const testing::TemporaryFolder folder;
  fill(folder / "old.db", 5);
  fill(folder / "new.db", 2);
  const Store reader = Store::open_existing(folder / "old.db");
  EXPECT_EQ(reader.totals().measurements, 5);
  replace_content(folder / "old.db", folder / "new.db");
  EXPECT_EQ(reader.totals().measurements, 2);
  EXPECT_THAT(reader.damage(), IsEmpty());
  fill(folder / "old.db", 1);
  EXPECT_EQ(reader.totals().measurements, 3) << "it can be written as before";
}

TEST(RowReplacementTest, NothingChangesIfThereIsNoOther) {
  const testing::TemporaryFolder folder;
  fill(folder / "old.db", 5);
  EXPECT_THROW(replace_content(folder / "old.db", folder / "missing.db"), base::InputError);
  EXPECT_EQ(Store::open_existing(folder / "old.db").totals().measurements, 5);
  replace_content(folder / "made.db", folder / "old.db");
  EXPECT_EQ(Store::open_existing(folder / "made.db").totals().measurements, 5);
}

}  // namespace
}  // namespace warptune::db
