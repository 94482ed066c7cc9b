#include "db/storage/compaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <thread>

#include "base/error.h"
#include "db/pruning.h"
#include "db/storage/schema.h"
#include "db/store.h"
#include "tests/db/killed_process.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kEnough = std::numeric_limits<std::uint64_t>::max() / 4;

class CompactionTest : public ::testing::Test {
 protected:
  // A file with many free pages: 4000 rows were removed, and `left` stay.
  void fill(int left) const {
    Store store(path_);
    const std::int64_t session = store.begin_session(testing::session());
    Store::Batch batch(store);
    for (int i = 0; i < left; ++i)
      store.add_measurement(session, testing::measured(testing::configuration(10000 + i), 10.0 + i));
    for (int i = 0; i < 4000; ++i)
      store.add_measurement(session, testing::failed(testing::configuration(i), model::Status::kCompileFailed,
                                                     "a reason of some length"));
    batch.commit();
    store.finish_session(session, 1700000001000);
    PruneRequest failed;
    failed.failed = true;
    store.prune(failed);
  }

  std::uintmax_t bytes() const { return std::filesystem::file_size(path_); }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "w.db";
};

TEST_F(CompactionTest, TheFileBecomesSmallerAndKeepsAllRows) {
  fill(100);
  const std::uintmax_t before = bytes();
  Store store(path_);
  const Compaction compaction = store.compact();
  EXPECT_GE(compaction.before_bytes, before);
  EXPECT_FALSE(compaction.still_read);
  EXPECT_EQ(compaction.after_bytes, bytes());
  EXPECT_LT(bytes(), before / 2);
  EXPECT_EQ(store.totals().measurements, 100U);
  EXPECT_THAT(store.damage(), IsEmpty());
  EXPECT_EQ(store.winners("vector-add", "").at(0).best.time->median_ns, 10.0);
}

TEST_F(CompactionTest, TooLittleSpaceIsRefusedAndChangesNothing) {
  fill(100);
  const std::uintmax_t before = bytes();
  Database database = open_for_writing(path_);
  try {
    compact(database, 1000);
    FAIL() << "expected an error";
  } catch (const base::MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("of free space on its disk, which has 1000; nothing was changed"));
  }
  EXPECT_EQ(bytes(), before);
  EXPECT_LT(compact(database, kEnough).after_bytes, before);
}

TEST_F(CompactionTest, ADamagedPageIsReportedAsDamageAndNothingChanges) {
  fill(2000);
  Store(path_).compact();  // Then no page is free.
  std::string bytes = testing::slurp(path_);
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 3 * 4096; ++i) bytes[i] = '\xff';
  testing::spill(path_, bytes);
  try {
    Store(path_).compact();
    FAIL() << "expected an error";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(),
                ::testing::AllOf(HasSubstr("damaged database: "), HasSubstr("nothing was changed")));
  }
  EXPECT_EQ(testing::slurp(path_), bytes);
}

TEST_F(CompactionTest, ThroughALinkTheFilesBesideItsTargetCount) {
  fill(100);
  const std::filesystem::path link = folder_ / "links" / "w.db";
  std::filesystem::create_directory(link.parent_path());
  std::filesystem::create_symlink(path_, link);
  Database database = open_for_writing(link);
  // The log has a few pages now.
  database.execute("UPDATE session SET budget = 'changed'");
  const std::uintmax_t log = std::filesystem::file_size(path_.string() + "-wal");
  ASSERT_GT(log, 0U);
  const std::uintmax_t before = bytes() + log;
  EXPECT_EQ(compact(database, kEnough).before_bytes, before);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST_F(CompactionTest, ReadersKeepWhatTheyReadAndTheFileShrinksAfterThem) {
  fill(50);
  Database reader = open_for_reading(path_);
  Statement rows = reader.prepare("SELECT id FROM measurement ORDER BY id");
  ASSERT_TRUE(rows.step());
  Database database = open_for_writing(path_);
  EXPECT_TRUE(compact(database, kEnough).still_read);
  int count = 1;
  while (rows.step()) ++count;
  EXPECT_EQ(count, 50);
  rows.reset();
  EXPECT_FALSE(compact(database, kEnough).still_read);
}

TEST_F(CompactionTest, OthersWriteBeforeAndAfterAndNothingIsLost) {
  fill(50);
  std::thread writer([&] {
    Store store(path_);
    const std::int64_t session = store.begin_session(testing::session());
    for (int i = 0; i < 200; ++i)
      store.add_measurement(session, testing::measured(testing::configuration(20000 + i), 100.0));
  });
  for (int i = 0; i < 5; ++i) Store(path_).compact();
  writer.join();
  const Store store(path_);
  EXPECT_EQ(store.totals().measurements, 250U);
  EXPECT_THAT(store.damage(), IsEmpty());
}

TEST_F(CompactionTest, AKillInTheMiddleLosesNothing) {
  fill(2000);
  for (int kill = 0; kill < 12; ++kill) {
    testing::run_and_kill(std::chrono::milliseconds(1 + 3 * kill), [&] { Store(path_).compact(); });
    const Store store(path_);
    EXPECT_EQ(store.totals().measurements, 2000U);
    EXPECT_EQ(store.session_measurements(1).size(), 2000U);
  }
  EXPECT_THAT(Store(path_).damage(), IsEmpty());
  for (const auto& entry : std::filesystem::directory_iterator(path_.parent_path()))
    EXPECT_THAT(entry.path().filename().string(),
                ::testing::StartsWith("w.db"));  // No temporary file is left.
}

}  // namespace
}  // namespace warptune::db::storage
