#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>
#include <vector>

#include "db/storage/sqlite.h"
#include "db/store.h"
#include "tests/child_process.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using tests::exit_status;
using tests::fork_with;

using testing::configuration;
using testing::measured;

void write_measurements(const std::filesystem::path& path, int first, int count) {
  Store store(path);
  const std::int64_t id = store.begin_session(testing::session());
  for (int i = first; i < first + count; ++i)
    store.add_measurement(id, testing::measured(testing::configuration(i), 100.0 + i));
}

TEST(StoreConcurrencyTest, ThreadsThatMakeAndFillOneDatabaseLoseNothing) {
  const testing::TemporaryFolder folder;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { write_measurements(folder / "w.db", i * 100, 25); });
  for (std::thread& thread : threads) thread.join();
  const Store store(folder / "w.db");
  EXPECT_EQ(store.totals().measurements, 100U);
  EXPECT_EQ(store.totals().workloads, 1U);
  EXPECT_EQ(store.measurements(testing::workload()).size(), 100U);
}

TEST(StoreConcurrencyTest, ProcessesThatMakeAndFillOneDatabaseLoseNothing) {
  const testing::TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i)
    children.push_back(fork_with([&] { write_measurements(folder / "w.db", i * 100, 25); }));
  for (const pid_t child : children) EXPECT_EQ(exit_status(child), 0);
  const Store store(folder / "w.db");
  EXPECT_EQ(store.measurements(testing::workload()).size(), 75U);
}

TEST(StoreConcurrencyTest, AReaderSeesWhatAWriterHasCommittedMeanwhile) {
  const testing::TemporaryFolder folder;
  Store writer(folder / "w.db");
  const Store reader = Store::open_existing(folder / "w.db");
  const std::int64_t id = writer.begin_session(testing::session());
  writer.add_measurement(id, testing::measured(testing::configuration(64), 8.0));
  EXPECT_EQ(reader.totals().measurements, 1U);
}

// The child writes each id to a pipe after `add_measurement` has returned. The parent kills it at some point.
std::vector<std::int64_t> ids_told_before_kill(const std::filesystem::path& path, std::size_t kill_after) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return {};
  const pid_t child = fork_with([&] {
    Store store(path);
    const std::int64_t session = store.begin_session(testing::session());
    for (int i = 1; i < 100000; ++i) {
      const std::int64_t id =
          store.add_measurement(session, testing::measured(testing::configuration(i), 100.0 + i));
      if (::write(ends[1], &id, sizeof id) != sizeof id) ::_exit(1);
    }
  });
  ::close(ends[1]);
  std::vector<std::int64_t> told;
  std::int64_t id = 0;
  while (::read(ends[0], &id, sizeof id) == sizeof id) {
    told.push_back(id);
    if (told.size() == kill_after) ::kill(child, SIGKILL);
  }
  ::close(ends[0]);
  const int status = exit_status(child);
  EXPECT_TRUE(WIFSIGNALED(status));
  return told;
}

TEST(StoreConcurrencyTest, AKilledWriterLosesNothingThatItWasToldIsStored) {
  const testing::TemporaryFolder folder;
  for (const std::size_t kill_after : {1U, 7U, 40U}) {
    const auto path = folder / ("killed" + std::to_string(kill_after) + ".db");
    const std::vector<std::int64_t> told = ids_told_before_kill(path, kill_after);
    ASSERT_GE(told.size(), kill_after);
    const Store store(path);
    std::set<std::int64_t> found;
    for (const StoredMeasurement& stored : store.measurements(testing::workload())) {
      found.insert(stored.id);
      EXPECT_EQ(stored.measurement.counters.size(), 2U) << "a measurement without its counters";
    }
    for (const std::int64_t id : told) EXPECT_EQ(found.count(id), 1U) << id;
    storage::Database database(path, storage::OpenMode::kReadOnly);
    EXPECT_EQ(database.text("PRAGMA integrity_check"), "ok");
  }
}

}  // namespace
}  // namespace warptune::db
