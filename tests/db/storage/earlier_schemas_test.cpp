// Files that earlier versions wrote are migrated whole, also when a process is killed meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "db/codes/workload_codes.h"
#include "db/storage/schema.h"
#include "db/storage/sqlite.h"
#include "db/store.h"
#include "tests/db/killed_process.h"
#include "tests/db/storage/changed_file.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EarlierSchemasTest : public ChangedFileTest {
 protected:
  // The checksums of its rows are those that the earlier version computed.
  void make_file_of_version(int version) const {
    run_sql(testing::slurp(fs::path(WARPTUNE_SOURCE_FOLDER) / "tests/db/data" /
                           ("schema_" + std::to_string(version) + ".sql")));
  }
};

TEST_F(EarlierSchemasTest, AFileOfVersion9KeepsItsRowsAndTheirChecksums) {
  make_file_of_version(9);
  const Store store = Store::open_existing(path_);
  EXPECT_EQ(store.totals().schema_version, static_cast<int>(migrations().size()));
  EXPECT_THAT(problems(), IsEmpty());
  ASSERT_THAT(store.sessions(), SizeIs(2));
  EXPECT_THAT(store.session_measurements(1), SizeIs(12));
  EXPECT_THAT(store.session_measurements(2), SizeIs(12));
  ASSERT_THAT(store.winners("vector_add", ""), SizeIs(1));
  EXPECT_EQ(store.winners("vector_add", "")[0].evaluated, 24U);
}

TEST_F(EarlierSchemasTest, AFileOfVersion10KeepsItsReplayedRowsAndTheirChecksums) {
  make_file_of_version(10);
  const Store store = Store::open_existing(path_);
  EXPECT_EQ(store.totals().schema_version, static_cast<int>(migrations().size()));
  EXPECT_THAT(problems(), IsEmpty());
  ASSERT_THAT(store.sessions(), SizeIs(2));
  EXPECT_EQ(store.sessions()[0].source, model::RowSource::kReplayed);
  EXPECT_THAT(store.session_measurements(1), SizeIs(12));
  ASSERT_THAT(store.winners("vector_add", ""), SizeIs(1));
  EXPECT_EQ(store.winners("vector_add", "")[0].best.source, model::RowSource::kReplayed);
  EXPECT_EQ(store.winners("vector_add", "")[0].evaluated, 24U);
}

TEST_F(EarlierSchemasTest, AFileOfVersion11KeepsItsRowsAndHasNoClaims) {
  make_file_of_version(11);
  const Store store = Store::open_existing(path_);
  EXPECT_EQ(store.totals().schema_version, static_cast<int>(migrations().size()));
  EXPECT_THAT(problems(), IsEmpty());
  ASSERT_THAT(store.sessions(), SizeIs(2));
  EXPECT_THAT(store.session_measurements(2), SizeIs(12));
  ASSERT_THAT(store.winners("vector_add", ""), SizeIs(1));
  EXPECT_EQ(store.winners("vector_add", "")[0].evaluated, 24U);
  EXPECT_EQ(Database(path_, OpenMode::kReadOnly).integer("SELECT count(*) FROM claimant, claim"), 0);
}

TEST_F(EarlierSchemasTest, AFileOfVersion12KeepsItsRowsAndTheReleasesOfItsDriversAreUnknown) {
  make_file_of_version(12);
  const Store store = Store::open_existing(path_);
  EXPECT_EQ(store.totals().schema_version, static_cast<int>(migrations().size()));
  EXPECT_THAT(problems(), IsEmpty());
  ASSERT_THAT(store.sessions(), SizeIs(2));
  for (const Session& session : store.sessions()) {
    EXPECT_EQ(session.environment.driver_release, "");
    EXPECT_EQ(session.environment.driver_version, 13000);
  }
  EXPECT_THAT(store.session_measurements(2), SizeIs(12));
  ASSERT_THAT(store.winners("vector_add", ""), SizeIs(1));
}

TEST_F(EarlierSchemasTest, AFileOfVersion13KeepsItsRowsAndTheirCodeIsUnknown) {
  make_file_of_version(13);
  Store store(path_);
  EXPECT_EQ(store.totals().schema_version, static_cast<int>(migrations().size()));
  EXPECT_THAT(problems(), IsEmpty());
  ASSERT_THAT(store.sessions(), SizeIs(2));
  EXPECT_THAT(store.session_measurements(2), SizeIs(12));
  ASSERT_THAT(store.winners("vector_add", ""), SizeIs(1));
  EXPECT_FALSE(codes::WorkloadCodes(store).find(store.sessions()[0].workload).has_value());
}

TEST_F(EarlierSchemasTest, AMergeOfAMigratedFileKeepsTheReleaseThatOnlyTheOtherKnows) {
  make_file_of_version(12);
  const fs::path newer = folder_ / "newer.db";
  {
    Store store(newer);
    Session session = testing::session();
    session.environment.driver_release = "580.65.06";
    const std::int64_t id = store.begin_session(session);
    store.add_measurement(id, testing::measured(testing::configuration(1), 10.0));
  }
  Store merged(path_);
  EXPECT_EQ(merged.merge(newer).sessions, 1U);
  EXPECT_THAT(problems(), IsEmpty());
  const auto known = [](const Session& session) { return session.environment.driver_release == "580.65.06"; };
  const std::vector<Session> sessions = merged.sessions();
  ASSERT_THAT(sessions, SizeIs(3));
  EXPECT_EQ(std::count_if(sessions.begin(), sessions.end(), known), 1);
}

TEST_F(EarlierSchemasTest, ASharedDatabaseOfAnEarlierVersionIsRefusedAndNotChanged) {
  make_file_of_version(10);
  const std::string before = testing::slurp(path_);
  try {
    Store::open_shared(path_);
    FAIL() << "expected an error";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("its schema has version 10"));
  }
  EXPECT_EQ(testing::slurp(path_), before);
  { const Store migrated(path_); }
  EXPECT_THAT(Store::open_shared(path_).winners("vector_add", ""), SizeIs(1));
}

TEST_F(EarlierSchemasTest, TwoCopiesOfAFileOfVersion9AreTheSameRows) {
  make_file_of_version(9);
  const fs::path copy = folder_ / "copy.db";
  fs::copy_file(path_, copy);
  { const Store migrated(copy); }
  const MergeCounts counts = Store(path_).merge(copy);
  EXPECT_EQ(counts.known, 24U);
  EXPECT_EQ(counts.added + counts.updated + counts.refused + counts.sessions, 0U);
}

TEST_F(EarlierSchemasTest, AKillDuringTheMigrationLosesNothing) {
  {
    Store store(path_);
    const std::int64_t id = store.begin_session(testing::session());
    Store::Batch batch(store);
    for (int i = 1; i <= 3000; ++i)
      store.add_measurement(id, testing::measured(testing::configuration(i), 10.0 + i));
    batch.commit();
  }
  run_sql(std::string(testing::kUndoReplays) +
          "CREATE VIEW winner AS SELECT workload_id FROM configuration; PRAGMA user_version = 8;");
  int early = 0;
  constexpr int kKills = 20;
  for (int i = 0; i < kKills; ++i) {
    const fs::path copy = folder_ / ("k" + std::to_string(i) + ".db");
    fs::copy_file(path_, copy);
    testing::run_and_kill(std::chrono::microseconds(i * 60000 / kKills), [&] { const Store migrated(copy); });
    if (Database(copy, OpenMode::kReadWrite).integer("PRAGMA user_version") == 8) ++early;
    const Store store = Store::open_existing(copy);
    EXPECT_THAT(store.measurements(testing::workload()), SizeIs(3000));
    EXPECT_THAT(store.damage(), IsEmpty()) << i;
  }
  EXPECT_GT(early, 1) << "every kill came too late to try what this is for";
}

}  // namespace
}  // namespace warptune::db::storage
