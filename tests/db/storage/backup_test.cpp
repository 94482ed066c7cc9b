// Backups are made while others write, are complete or absent, and replace nothing.
#include "db/storage/backup.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "db/store.h"
#include "tests/db/killed_process.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::int64_t block_of(const StoredMeasurement& row) {
  return std::get<std::int64_t>(*model::find(row.measurement.configuration, "BLOCK"));
}

class BackupTest : public ::testing::Test {
 protected:
  void fill(int measurements) {
    Store store(path_);
    const std::int64_t id = store.begin_session(testing::session());
    for (int i = 1; i <= measurements; ++i)
      store.add_measurement(id, testing::measured(testing::configuration(i), 10.0 + i));
  }

  template <class Error>
  std::string refusal(const fs::path& target) {
    try {
      Store::open_existing(path_).back_up(target);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path()))
      names.push_back(entry.path().filename().string());
    return names;
  }

  testing::TemporaryFolder folder_;
  fs::path path_ = folder_ / "w.db";
  fs::path copy_ = folder_ / "copy.db";
};

TEST_F(BackupTest, TheCopyHasEveryRowAlsoThoseThatAreOnlyInTheWriteAheadLog) {
  Store store(path_);
  const std::int64_t id = store.begin_session(testing::session());
  for (int i = 1; i <= 30; ++i)
    store.add_measurement(id, testing::measured(testing::configuration(i), 10.0 + i));
  ASSERT_GT(fs::file_size(path_.string() + "-wal"), 0U);
  store.back_up(copy_);
  const Store copy = Store::open_existing(copy_);
  EXPECT_THAT(copy.measurements(testing::workload()), SizeIs(30));
  EXPECT_THAT(copy.damage(), IsEmpty());
}

TEST_F(BackupTest, TheCopyIsOneFileForItsUserAlone) {
  fill(3);
  const mode_t mask = ::umask(0);
  Store::open_existing(path_).back_up(copy_);
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(copy_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  std::vector<std::string> of_copy = files();
  std::erase_if(of_copy, [](const std::string& name) { return !name.starts_with("copy.db"); });
  EXPECT_THAT(of_copy, ::testing::ElementsAre("copy.db"));
}

TEST_F(BackupTest, ACopyCanBeWrittenLikeAnyDatabase) {
  fill(3);
  Store::open_existing(path_).back_up(copy_);
  Store copy(copy_);
  const std::int64_t id = copy.begin_session(testing::session());
  copy.add_measurement(id, testing::measured(testing::configuration(9), 5.0));
  EXPECT_THAT(copy.measurements(testing::workload()), SizeIs(4));
  EXPECT_THAT(Store::open_existing(path_).measurements(testing::workload()), SizeIs(3));
}

TEST_F(BackupTest, AFileThatExistsIsNeverReplaced) {
  fill(3);
  for (const char* content : {"", "notes"}) {
    testing::spill(copy_, content);
    EXPECT_THAT(refusal<base::InputError>(copy_), HasSubstr("copy.db: ")) << content;
    EXPECT_EQ(testing::slurp(copy_), content);
  }
  fs::remove(copy_);
  Store::open_existing(path_).back_up(copy_);
  const std::string before = testing::slurp(copy_);
  fill(5);
  EXPECT_THAT(refusal<base::InputError>(copy_), HasSubstr("copy.db: the file exists already"));
  EXPECT_EQ(testing::slurp(copy_), before);
  EXPECT_THAT(refusal<base::InputError>(path_), HasSubstr("w.db: the file exists already"));
  fs::create_symlink(folder_ / "nowhere", folder_ / "link.db");
  EXPECT_THAT(refusal<base::InputError>(folder_ / "link.db"), HasSubstr("exists already"));
}

TEST_F(BackupTest, ALogOfAnEarlierDatabaseIsNotMixedWithTheCopy) {
  fill(3);
  for (const char* suffix : {"-wal", "-journal"}) {
    const fs::path beside = copy_.string() + suffix;
    testing::spill(beside, "pages of another file");
    EXPECT_THAT(refusal<base::InputError>(copy_), HasSubstr("belongs to an earlier database")) << suffix;
    EXPECT_FALSE(fs::exists(copy_));
    fs::remove(beside);
  }
}

TEST_F(BackupTest, AnEmptyLogThatNobodyUsesHoldsNothing) {
  fill(3);
  testing::spill(copy_.string() + "-wal", "");
  testing::spill(copy_.string() + "-shm", std::string(32768, 'x'));
  EXPECT_EQ(refusal<base::InputError>(copy_), "accepted");
  EXPECT_THAT(Store::open_existing(copy_).measurements(testing::workload()), SizeIs(3));
}

TEST_F(BackupTest, TheLogOfARemovedDatabaseThatAProcessStillUsesIsNotMixedWithTheCopy) {
  fill(3);
  Store::open_existing(path_).back_up(copy_);
  std::array<int, 2> opened{};
  ASSERT_EQ(::pipe(opened.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Store store(copy_);
    static_cast<void>(store.totals());
    static_cast<void>(::write(opened[1], "x", 1));
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(opened[0], &byte, 1), 1);
  fs::remove(copy_);
  EXPECT_THAT(refusal<base::InputError>(copy_), HasSubstr("copy.db-shm belongs to an earlier database"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(refusal<base::InputError>(copy_), "accepted");
  ::close(opened[0]);
  ::close(opened[1]);
}

TEST_F(BackupTest, AFolderThatIsMissingOrCannotBeWrittenIsRefused) {
  fill(3);
  EXPECT_THAT(refusal<base::InputError>(folder_ / "none/copy.db"), HasSubstr("does not exist"));
  EXPECT_THAT(refusal<base::InputError>(""), HasSubstr("the name is empty"));
  EXPECT_THAT(refusal<base::InputError>(folder_.path()), HasSubstr("a folder"));
  EXPECT_THAT(refusal<base::MachineError>("/proc/copy.db"), HasSubstr("the backup cannot be written"));
}

TEST_F(BackupTest, ADamagedDatabaseIsNotBackedUp) {
  fill(500);
  std::string bytes = testing::slurp(path_);
  // The middle of the file has pages of rows; the first pages hold the schema.
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 3 * 4096; ++i) bytes[i] = '\x5a';
  testing::spill(path_, bytes);
  EXPECT_THAT(refusal<base::InputError>(copy_),
              AllOf(HasSubstr("damaged database"), HasSubstr("no backup was made")));
  EXPECT_THAT(files(), ::testing::Not(::testing::Contains(HasSubstr("copy.db"))));
}

// The writer stores the blocks 1, 2, 3, ... one by one. A snapshot therefore has the blocks 1 to n.
TEST_F(BackupTest, ABackupDuringWritesHasWhatWasCommittedUpToOneMoment) {
  fill(1);
  std::atomic<bool> end = false;
  std::atomic<int> written = 0;
  std::thread writer([&] {
    Store store(path_);
    const std::int64_t id = store.begin_session(testing::session());
    for (int i = 2; !end; ++i) {
      store.add_measurement(id, testing::measured(testing::configuration(i), 10.0 + i));
      written = i;
    }
  });
  std::size_t before = 0;
  for (int i = 0; i < 10; ++i) {
    const int seen = written;
    while (written == seen) std::this_thread::yield();
    const fs::path target = folder_ / ("copy" + std::to_string(i) + ".db");
    const int at_least = written;
    Store::open_existing(path_).back_up(target);
    const Store copy = Store::open_existing(target);
    const std::vector<StoredMeasurement> rows = copy.measurements(testing::workload());
    EXPECT_GE(rows.size(), static_cast<std::size_t>(at_least));
    EXPECT_GT(rows.size(), before);
    before = rows.size();
    std::int64_t last = 0;
    for (const StoredMeasurement& row : rows) last = std::max(last, block_of(row));
    EXPECT_EQ(last, static_cast<std::int64_t>(rows.size()));
    EXPECT_THAT(copy.damage(), IsEmpty());
  }
  end = true;
  writer.join();
}

TEST_F(BackupTest, AKillLeavesACompleteBackupOrNone) {
  fill(2000);
  int absent = 0;
  constexpr int kKills = 30;
  for (int i = 0; i < kKills; ++i) {
    const fs::path target = folder_ / ("k" + std::to_string(i) + ".db");
    testing::run_and_kill(std::chrono::microseconds(i * 30000 / kKills),
                          [&] { Store::open_existing(path_).back_up(target); });
    if (!fs::exists(target)) {
      ++absent;
      continue;
    }
    EXPECT_EQ(Store::open_existing(target).totals().measurements, 2000U);
    EXPECT_THAT(Store::open_existing(target).damage(), IsEmpty());
  }
  EXPECT_GT(absent, 0) << "every kill came too late to try what this is for";
  EXPECT_THAT(Store::open_existing(path_).damage(), IsEmpty());
}

}  // namespace
}  // namespace warptune::db::storage
