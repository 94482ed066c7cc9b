#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "base/error.h"
#include "db/recordings/values_json.h"
#include "db/storage/schema.h"
#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

namespace fs = std::filesystem;
using testing::configuration;
using ::testing::HasSubstr;
using testing::measured;
using ::testing::SizeIs;
using testing::slurp;
using testing::spill;

// Runs SQL on a file without warptune.
void sql(const fs::path& path, const std::string& statements) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

template <class Error>
std::string refusal(const fs::path& path) {
  try {
    const Store store(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

class StoreFileTest : public ::testing::Test {
 protected:
  void make_database(int measurements = 1) {
    Store store(path_);
    const std::int64_t id = store.begin_session(testing::session());
    for (int i = 1; i <= measurements; ++i)
      store.add_measurement(id, testing::measured(testing::configuration(i), 10.0 + i));
  }

  // Inserts a kernel, a workload and a GPU as the third and the fourth schema have them.
  void insert_workload() {
    sql(path_, R"sql(
      INSERT INTO kernel VALUES(7, 'k', 'hash');
      INSERT INTO subject VALUES(3, 7, '{"N":1}', '{"N":1}', 'key', 'warm');)sql");
    sql(path_, "INSERT INTO gpu SELECT 1, 'key', 'a GPU', 9, 0, 1, 1, 1, 1, 1, 0, 0, '" +
                   recordings::compact(recordings::to_json(model::fictional_gpu())) + "'");
  }

  testing::TemporaryFolder folder_;
  fs::path path_ = folder_ / "w.db";
};

TEST_F(StoreFileTest, MissingFoldersAreMadeAndTheFileIsReopenedWithWhatItHeld) {
  path_ = folder_ / "a/b/w.db";
  make_database(3);
  const Store store(path_);
  EXPECT_THAT(store.measurements(testing::workload()), SizeIs(3));
}

TEST_F(StoreFileTest, TheFileSaysWhatItIsAndUsesTheWriteAheadLog) {
  make_database();
  const std::string header = testing::slurp(path_).substr(0, 100);
  EXPECT_EQ(header.substr(68, 4), "WTdb");
  EXPECT_EQ(header[18], 2);  // File format write version: WAL.
}

TEST_F(StoreFileTest, AFileThatIsNoDatabaseIsRefusedAndStaysAsItIs) {
  const std::string text(5000, 'x');
  testing::spill(path_, text);
  EXPECT_THAT(refusal<base::InputError>(path_), HasSubstr("w.db: expected a warptune database, found"));
  EXPECT_EQ(testing::slurp(path_), text);
}

TEST_F(StoreFileTest, ADatabaseOfAnotherProgramIsRefusedAndStaysAsItIs) {
  sql(path_, "CREATE TABLE notes(text)");
  const std::string before = testing::slurp(path_);
  EXPECT_THAT(refusal<base::InputError>(path_), HasSubstr("another program"));
  EXPECT_THROW(Store::open_existing(path_), base::InputError);
  EXPECT_EQ(testing::slurp(path_), before);
}

TEST_F(StoreFileTest, ADatabaseOfANewerWarptuneIsRefusedAndStaysAsItIs) {
  make_database();
  sql(path_, "PRAGMA user_version = 99");
  const std::string before = testing::slurp(path_);
  EXPECT_THAT(refusal<base::InputError>(path_), HasSubstr("newer warptune: schema version 99"));
  EXPECT_THAT(refusal<base::InputError>(path_), HasSubstr("use a newer warptune"));
  EXPECT_THROW(Store::open_existing(path_), base::InputError);
  EXPECT_EQ(testing::slurp(path_), before);
}

TEST_F(StoreFileTest, ATruncatedDatabaseIsRefusedAndStaysAsItIs) {
  make_database(50);
  const std::string whole = testing::slurp(path_);
  for (const std::size_t size :
       {std::size_t{50}, std::size_t{100}, std::size_t{4096}, whole.size() / 2, whole.size() - 1}) {
    testing::spill(path_, whole.substr(0, size));
    EXPECT_THAT(refusal<base::InputError>(path_), HasSubstr("w.db: ")) << size;
    EXPECT_EQ(testing::slurp(path_), whole.substr(0, size)) << size;
  }
}

TEST_F(StoreFileTest, ADatabaseWithDamagedPagesIsRefusedWhenTheyAreRead) {
  make_database(50);
  std::string bytes = testing::slurp(path_);
  for (std::size_t i = 4096; i < bytes.size(); ++i) bytes[i] = '\x5a';
  testing::spill(path_, bytes);
  const auto read_all = [&] {
    const Store store(path_);
    static_cast<void>(store.measurements(testing::workload()));
  };
  EXPECT_THROW(read_all(), base::InputError);
}

TEST_F(StoreFileTest, ATableThatIsGoneIsSeenWhenTheFileIsOpened) {
  make_database();
  sql(path_, "DROP VIEW winner");
  EXPECT_THAT(refusal<base::InputError>(path_), HasSubstr("tables are missing"));
}

TEST_F(StoreFileTest, AFolderThatCannotBeWrittenIsTheMachinesFault) {
  EXPECT_THAT(refusal<base::MachineError>("/proc/warptune/w.db"), HasSubstr("--db FILE"));
  testing::spill(folder_ / "file", "text");
  EXPECT_THAT(refusal<base::MachineError>(folder_ / "file/w.db"), HasSubstr("--db FILE"));
}

TEST_F(StoreFileTest, AReadOnlyFolderIsRefusedForWritingAndServesReading) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  make_database(2);
  fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(path_, fs::perms::owner_read);
  EXPECT_THAT(refusal<base::MachineError>(path_), HasSubstr("--db FILE"));
  EXPECT_THAT(Store::open_existing(path_).measurements(testing::workload()), SizeIs(2));
  fs::permissions(folder_.path(), fs::perms::owner_all);
}

TEST_F(StoreFileTest, AnImmutableDatabaseOnAPathWithSpecialCharactersIsRead) {
  path_ = folder_ / "a ?#%41.db";
  make_database(2);
  storage::Database database(path_, storage::OpenMode::kImmutable);
  EXPECT_EQ(database.integer("SELECT count(*) FROM measurement"), 2);
}

TEST_F(StoreFileTest, OpeningForReadingNeedsAFileAndCannotWrite) {
  try {
    Store::open_existing(path_);
    FAIL() << "a missing file was opened";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("run `warptune tune KERNEL` first"));
  }
  EXPECT_FALSE(fs::exists(path_));
  make_database();
  Store store = Store::open_existing(path_);
  EXPECT_THAT(store.sessions(), SizeIs(1));
  EXPECT_THROW(store.begin_session(testing::session()), base::MachineError);
}

TEST_F(StoreFileTest, ReadingLeavesNoFilesBesideTheDatabase) {
  make_database();
  const auto has_files = [&] {
    return fs::exists(path_.string() + "-wal") || fs::exists(path_.string() + "-shm");
  };
  {
    const Store store = Store::open_existing(path_);
    EXPECT_THAT(store.sessions(), SizeIs(1));
    const Store other = Store::open_existing(path_);
    EXPECT_THAT(other.sessions(), SizeIs(1));
    EXPECT_TRUE(has_files());
  }
  EXPECT_FALSE(has_files());
}

TEST_F(StoreFileTest, AReaderLeavesTheLogThatAnotherUses) {
  make_database();
  std::optional<Store> writer(path_);
  static_cast<void>(writer->totals());
  EXPECT_THAT(Store::open_existing(path_).sessions(), SizeIs(1));
  EXPECT_TRUE(fs::exists(path_.string() + "-wal"));
  writer->begin_session(testing::session());
  EXPECT_THAT(Store::open_existing(path_).sessions(), SizeIs(2));
  writer.reset();
  EXPECT_FALSE(fs::exists(path_.string() + "-wal"));
}

// A link in the place of the log's index makes SQLite fail as in a folder that cannot be written, also for
// root.
TEST_F(StoreFileTest, AnEmptyLogDoesNotMatterWhereTheFileCanOnlyBeRead) {
  make_database();
  testing::spill(path_.string() + "-wal", "");
  fs::create_symlink("nowhere", path_.string() + "-shm");
  EXPECT_THAT(Store::open_existing(path_).sessions(), SizeIs(1));
  testing::spill(path_.string() + "-wal", "frames");
  EXPECT_THROW(Store::open_existing(path_), base::MachineError);
}

TEST_F(StoreFileTest, AnOlderSchemaIsMigratedStepByStepAndKeepsItsRows) {
  constexpr std::array<const char*, 2> kSteps = {"CREATE TABLE a(x); INSERT INTO a VALUES(7)",
                                                 "CREATE TABLE b(y); INSERT INTO b SELECT x + 1 FROM a"};
  { storage::open_for_writing(path_, std::span(kSteps).first(1)); }
  storage::Database database = storage::open_for_writing(path_, kSteps);
  EXPECT_EQ(database.integer("SELECT y FROM b"), 8);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 2);
}

TEST_F(StoreFileTest, WhatTheFirstSchemaHeldIsOfAColdCacheAfterwards) {
  { storage::open_for_writing(path_, storage::migrations().first(1)); }
  sql(path_, R"sql(
    INSERT INTO gpu SELECT 1, 'key', 'a GPU', 9, 0, 1, 1, 1, 1, 1, 0, 0, '{}';
    INSERT INTO kernel VALUES(7, 'k', 'hash');
    INSERT INTO subject VALUES(3, 7, '{"N":1}', '{"N":1}', 'key'), (4, 7, '{"N":2}', '{"N":2}', 'key');
    INSERT INTO session VALUES(1, 3, 1, '', 0, 0, 0, 0, '', 0, 0, 0, 0, '', 0, '', 'time', 'warm', 0, 0, 0, 0, '{}', '{}');
    INSERT INTO configuration VALUES(1, 3, '{"A":1}', '{"A":1}');
    INSERT INTO measurement VALUES(1, 1, 1, 'measured', '', 5.0, 4.0, 6.0, x'', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);)sql");
  storage::Database database = storage::open_for_writing(path_);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 14);
  EXPECT_EQ(database.integer("SELECT count(*) FROM session WHERE search_state IS NULL"), 1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM workload WHERE cache_state = 'cold'"), 2);
  EXPECT_EQ(database.integer("SELECT measurement_id FROM winner WHERE workload_id = 3"), 1);
  EXPECT_EQ(database.integer("SELECT value FROM problem_entry WHERE workload_id = 4"), 2);
  EXPECT_EQ(database.integer("PRAGMA foreign_keys"), 1);
  EXPECT_THROW(database.execute("DELETE FROM workload WHERE id = 3"), base::InternalError);
}

TEST_F(StoreFileTest, SessionsOfTheSecondSchemaHaveNoSearchYetAndCanKeepOne) {
  { storage::open_for_writing(path_, storage::migrations().first(2)); }
  sql(path_, R"sql(
    INSERT INTO gpu SELECT 1, 'key', 'a GPU', 9, 0, 1, 1, 1, 1, 1, 0, 0, '{}';
    INSERT INTO kernel VALUES(7, 'k', 'hash');
    INSERT INTO subject VALUES(3, 7, '{"N":1}', '{"N":1}', 'key', 'warm');
    INSERT INTO session VALUES(5, 3, 1, '', 0, 0, 0, 0, '', 0, 0, 0, 0, 'random', 1, '', 'time', 0, 0, 0, 0, '{}', '{}');)sql");
  Store store(path_);
  store.set_search_state(5, "a search");
  storage::Database database(path_, storage::OpenMode::kReadOnly);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 14);
  EXPECT_EQ(database.text("SELECT strategy FROM session"), "random");
  EXPECT_EQ(database.text("SELECT search_state FROM session"), "a search");
}

TEST_F(StoreFileTest, SessionsOfTheThirdSchemaKeepTheirTwoRoofsAndTheOthersAreUnknown) {
  { storage::open_for_writing(path_, storage::migrations().first(3)); }
  insert_workload();
  sql(path_, R"sql(
    INSERT INTO session VALUES(5, 3, 1, '', 0, 0, 0, 0, '', 4e12, 6e13, 0, 0, 'random', 1, '', 'time', 0, 0, 0, 0,
                               '{}', '{}', NULL);)sql");
  const Store store(path_);
  const std::optional<Session> session = store.session(5);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->roofs, (model::Roofs{4e12, 6e13}));
  EXPECT_EQ(session->work.unit, model::ArithmeticUnit::kFp32);
  EXPECT_THAT(store.roofs(model::fictional_gpu()), ::testing::IsEmpty());
}

// Six different roofs: each must be found under its new name.
TEST_F(StoreFileTest, SessionsOfTheFourthSchemaKeepEachOfTheirRoofs) {
  { storage::open_for_writing(path_, storage::migrations().first(4)); }
  insert_workload();
  sql(path_, R"sql(
    INSERT INTO session(id, subject_id, gpu_id, warptune_version, driver_version, nvrtc_version, sm_clock_mhz,
      memory_clock_mhz, throttle_reasons, work_flops, work_bytes, strategy, seed, budget, objective, replayed,
      started_ms, finished_ms, space_size, default_configuration, default_key, roof_memory_bytes_per_s,
      roof_fp32_flops_per_s, roof_read_bytes_per_s, roof_fp32_measured_flops_per_s, roof_fp64_flops_per_s,
      roof_tensor_flops_per_s)
    VALUES(5, 3, 1, '', 0, 0, 0, 0, '', 0, 0, 'random', 1, '', 'time', 0, 0, 0, 0, '{}', '{}',
           4.2e12, 66.9e12, 4.6e12, 66.1e12, 33.2e12, 904e12);)sql");
  const std::optional<Session> session = Store(path_).session(5);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->roofs.copy_bytes_per_s, 4.2e12);
  EXPECT_EQ(session->roofs.fp32_theory_flops_per_s, 66.9e12);
  EXPECT_EQ(session->roofs.read_bytes_per_s, 4.6e12);
  EXPECT_EQ(session->roofs.fp32_measured_flops_per_s, 66.1e12);
  EXPECT_EQ(session->roofs.fp64_flops_per_s, 33.2e12);
  EXPECT_EQ(session->roofs.tensor_flops_per_s, 904e12);
  storage::Database database(path_, storage::OpenMode::kReadOnly);
  EXPECT_EQ(database.text("SELECT roof_copy_bytes_per_s FROM session"), "4200000000000.0");
  EXPECT_EQ(database.text("SELECT roof_fp32_theory_flops_per_s FROM session"), "66900000000000.0");
}

TEST_F(StoreFileTest, AMigrationThatFailsLeavesTheDatabaseAsItWas) {
  constexpr std::array<const char*, 2> kSteps = {"CREATE TABLE a(x)", "CREATE TABLE b(y); no SQL"};
  { storage::open_for_writing(path_, std::span(kSteps).first(1)); }
  EXPECT_THROW(storage::open_for_writing(path_, kSteps), base::InputError);
  storage::Database database(path_, storage::OpenMode::kReadOnly);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM sqlite_master WHERE name = 'b'"), 0);
}

TEST_F(StoreFileTest, AMigrationThatBreaksAReferenceIsTakenBack) {
  constexpr std::array<const char*, 1> kSteps = {
      "CREATE TABLE a(x INTEGER PRIMARY KEY); CREATE TABLE b(y REFERENCES a); INSERT INTO b VALUES(7)"};
  EXPECT_THROW(storage::open_for_writing(path_, kSteps), base::InputError);
  storage::Database database(path_, storage::OpenMode::kReadOnly);
  EXPECT_EQ(database.integer("SELECT count(*) FROM sqlite_master"), 0);
}

TEST_F(StoreFileTest, ProblemSizesCanBeQueriedOneByOne) {
  make_database();
  storage::Database database(path_, storage::OpenMode::kReadOnly);
  EXPECT_EQ(database.integer("SELECT value FROM problem_entry WHERE name = 'N'"), 4096);
  EXPECT_EQ(database.text("SELECT value FROM problem_entry WHERE name = 'dtype'"), "f32");
}

TEST_F(StoreFileTest, NoHostOrUserNameIsStored) {
  make_database(5);
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  EXPECT_THAT(testing::slurp(path_), ::testing::Not(HasSubstr(host.data())));
}

}  // namespace
}  // namespace warptune::db
