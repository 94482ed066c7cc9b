// What a database's path may refer to: nothing, an incomplete database, or a file that is not a database.
#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "base/error.h"
#include "db/storage/damage.h"
#include "db/storage/database_file.h"
#include "db/storage/schema.h"
#include "db/storage/sqlite.h"
#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class DatabaseFileTest : public ::testing::Test {
 protected:
  // Opens the file as `warptune tune` does, whether it exists or not.
  static void go_on(const fs::path& path) {
    if (Store::exists(path)) Store::open_existing(path);
    Store store(path);
    const std::int64_t id = store.begin_session(testing::session());
    store.add_measurement(id, testing::measured(testing::configuration(64), 8.0));
  }

  template <class Work>
  static std::string told(Work work) {
    try {
      work();
    } catch (const base::InputError& error) {
      return std::string("input: ") + error.what();
    } catch (const base::MachineError& error) {
      return std::string("machine: ") + error.what();
    }
    return "accepted";
  }

  // Expects the same error from a session that begins and from a reader.
  static void expect_refused(const fs::path& path, const std::string& why) {
    EXPECT_THAT(told([&] { go_on(path); }), AllOf(HasSubstr(why), HasSubstr("--db FILE"))) << path;
    EXPECT_THAT(told([&] { Store::open_existing(path); }), AllOf(HasSubstr(why), HasSubstr("--db FILE")))
        << path;
  }

  static void run_sql(const fs::path& path, const char* statements) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, statements, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  testing::TemporaryFolder folder_;
  fs::path path_ = folder_ / "w.db";
};

TEST_F(DatabaseFileTest, AnEmptyFileIsAnAbsentDatabase) {
  testing::spill(path_, "");
  EXPECT_FALSE(Store::exists(path_));
  EXPECT_THAT(told([&] { Store::open_existing(path_); }), HasSubstr("no database yet"));
  go_on(path_);
  EXPECT_TRUE(Store::exists(path_));
  EXPECT_EQ(Store::open_existing(path_).totals().measurements, 1U);
}

// Leaves the files of a process that was killed while it wrote the first schema: some pages of it, and a
// journal. The journal says that there were no pages before (https://sqlite.org/fileformat.html, section 3).
void leave_half(const fs::path& path) {
  const std::string journal("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\x10\0",
                            28);
  testing::spill(path, testing::slurp(path).substr(0, 8192));
  testing::spill(path.string() + "-journal", journal + std::string(512 - journal.size(), '\0'));
}

TEST_F(DatabaseFileTest, AHalfMadeDatabaseIsMadeAnew) {
  for (const bool reader_first : {false, true}) {
    fs::remove(path_);
    { const Store whole(path_); }
    leave_half(path_);
    ASSERT_TRUE(storage::has_journal(path_));
    if (reader_first) {
      EXPECT_EQ(Store::open_existing(path_).totals().sessions, 0U);
    }
    go_on(path_);
    EXPECT_FALSE(storage::has_journal(path_));
    EXPECT_EQ(Store::open_existing(path_).totals().measurements, 1U);
  }
}

TEST_F(DatabaseFileTest, ThroughALinkTheFilesBesideItsTargetAreFound) {
  const fs::path link = folder_ / "links" / "w.db";
  fs::create_directory(link.parent_path());
  EXPECT_EQ(storage::linked_file(link), link) << "it leads to no file";
  fs::create_symlink(path_, link);
  { const Store whole(path_); }
  EXPECT_EQ(storage::linked_file(link), fs::canonical(path_));
  EXPECT_FALSE(storage::has_log(link));
  testing::spill(path_.string() + "-wal", "");
  EXPECT_FALSE(storage::has_log(link)) << "an empty log holds no data";
  testing::spill(path_.string() + "-wal", "frames");
  EXPECT_TRUE(storage::has_log(link));
  fs::remove(path_.string() + "-wal");
  leave_half(path_);
  EXPECT_TRUE(storage::has_journal(link));
  go_on(link);
  EXPECT_EQ(Store::open_existing(path_).totals().measurements, 1U);
}

// Kills a process that makes a database and fills it, some time after the file appeared. Returns true if
// another process could not see a database yet.
bool killed_while_it_begins(const fs::path& path, std::chrono::microseconds after) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      Store store(path);
      const std::int64_t id = store.begin_session(testing::session());
      for (int i = 1; i < 100000; ++i)
        store.add_measurement(id, testing::measured(testing::configuration(i), 100.0 + i));
    } catch (...) {
    }
    ::_exit(0);
  }
  struct stat ignored {};
  while (::stat(path.c_str(), &ignored) != 0) std::this_thread::yield();
  std::this_thread::sleep_for(after);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  return fs::file_size(path) == 0 || storage::has_journal(path);
}

TEST_F(DatabaseFileTest, AKillInTheFirst20MsOfADatabaseLeavesWhatTheNextStartGoesOnWith) {
  const char* asked = std::getenv("WARPTUNE_TEST_KILLS");
  const int kills = asked == nullptr ? 40 : std::atoi(asked);
  int half_made = 0;
  for (int i = 0; i < kills; ++i) {
    const fs::path path = folder_ / ("k" + std::to_string(i) + ".db");
    if (killed_while_it_begins(path, std::chrono::microseconds(i * 20000 / kills))) ++half_made;
    EXPECT_EQ(told([&] { go_on(path); }), "accepted") << "killed after " << i * 20000 / kills << " us";
    storage::Database database(path, storage::OpenMode::kReadOnly);
    EXPECT_EQ(database.text("PRAGMA integrity_check"), "ok");
  }
  EXPECT_GT(half_made, 0) << "no kill came early enough to try what this is for";
}

TEST_F(DatabaseFileTest, ANameThatNoFileCanHaveIsRefusedAtOnce) {
  expect_refused("", "the name is empty");
  expect_refused(":memory:", "would be lost");
  expect_refused(folder_ / std::string(300, 'x'), "the name is too long");
  expect_refused(folder_ / std::string(250, 'x'),
                 "the name is too long");  // "-journal" does not fit.
  expect_refused(folder_ / std::string(200, 'x') / std::string(200, 'y') / std::string(200, 'z'), "too long");
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(DatabaseFileTest, ALinkThatLeadsBackToItselfIsTold) {
  fs::create_symlink(path_, folder_ / "other");
  fs::create_symlink(folder_ / "other", path_);
  expect_refused(path_, "the link refers to itself");
}

TEST_F(DatabaseFileTest, AFolderAPipeAndADeviceAreRefusedWithoutWaiting) {
  fs::create_directory(folder_ / "folder");
  expect_refused(folder_ / "folder", "found a folder");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  expect_refused(folder_ / "pipe", "found a pipe or a device");
  expect_refused("/dev/zero", "found a pipe or a device");
}

TEST_F(DatabaseFileTest, TablesThatAreNotThoseOfTheSchemaAreTheFilesFault) {
  go_on(path_);
  run_sql(path_, "PRAGMA user_version = 0");
  EXPECT_THAT(
      told([&] { go_on(path_); }),
      AllOf(HasSubstr("input: " + path_.string() + ": damaged database"),
            HasSubstr("of schema version 0 cannot be brought to version"), HasSubstr("move the file away")));
  run_sql(path_,
          "ALTER TABLE session DROP COLUMN driver_release; DROP TABLE claim; DROP TABLE claimant;"
          "DROP TABLE workload_code;"
          " PRAGMA user_version = 10; ALTER TABLE measurement RENAME COLUMN reason TO why;");
  EXPECT_THAT(told([&] { static_cast<void>(Store(path_).measurements(testing::workload())); }),
              AllOf(HasSubstr("damaged database: no such column"), HasSubstr("move the file away")));
}

TEST_F(DatabaseFileTest, AValueThatCannotBeReadNamesTheFile) {
  go_on(path_);
  run_sql(path_, "UPDATE configuration SET body = 'no JSON'");
  EXPECT_THAT(told([&] { static_cast<void>(Store(path_).measurements(testing::workload())); }),
              HasSubstr("input: " + path_.string() + ": damaged database: expected JSON, found 'no JSON'"));
}

TEST_F(DatabaseFileTest, WhatCannotBeWrittenIsToldInWords) {
  go_on(path_);
  Store reader = Store::open_existing(path_);
  EXPECT_THAT(told([&] { reader.begin_session(testing::session()); }),
              AllOf(HasSubstr("machine: "), HasSubstr("readonly"), HasSubstr("--db FILE")));
  const storage::Database database(path_, storage::OpenMode::kReadOnly);
  EXPECT_THAT(told([&] { database.fail(SQLITE_READONLY, "a call"); }),
              AllOf(HasSubstr("attempt to write a readonly database"), Not(HasSubstr("not an error"))));
}

// Only the first database of a process is made by the steps of the schema.
TEST_F(DatabaseFileTest, EachDatabaseOfAProcessHasTheSchemaThatTheStepsMake) {
  for (const char* name : {"first.db", "second.db"}) {
    Database database = open_for_writing(folder_ / name);
    EXPECT_EQ(foreign_schema_problem(database, "main"), "") << name;
    EXPECT_EQ(database.integer("PRAGMA user_version"), static_cast<std::int64_t>(migrations().size()));
  }
}

TEST_F(DatabaseFileTest, ItAndItsFolderAreForTheUserAloneWhateverTheUmask) {
  const mode_t before = ::umask(0);
  go_on(folder_ / "new" / "w.db");
  ::umask(before);
  struct stat of_file {};
  struct stat of_folder {};
  ASSERT_EQ(::stat((folder_ / "new" / "w.db").c_str(), &of_file), 0);
  ASSERT_EQ(::stat((folder_ / "new").c_str(), &of_folder), 0);
  EXPECT_EQ(of_file.st_mode & 0777U, 0600U);
  EXPECT_EQ(of_folder.st_mode & 0777U, 0700U);
}

}  // namespace
}  // namespace warptune::db::storage
