#include "db/storage/merging/owned_rows.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "db/pruning.h"
#include "db/row_extract.h"
#include "db/storage/sqlite.h"
#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage::merging {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What a node tries with a batch.
struct Attack {
  const char* name;
  const char* sql;  ///< Changes its database.
  const char*
      refusal;  ///< A part of the sentence that refuses the batch. Empty: it is merged and does no harm.
};

void PrintTo(const Attack& attack, std::ostream* stream) { *stream << attack.name; }

constexpr std::int64_t kVictim = 111;
constexpr std::int64_t kAttacker = 222;

RowOwner victim() { return {kVictim, 2, {}}; }
// It had the lease before, so its choices do not count any more.
RowOwner attacker() { return {kAttacker, 1, {}}; }

class OwnedRowsTest : public ::testing::TestWithParam<Attack> {
 protected:
  // The bytes of a database without its log.
  static std::string bytes_of(const fs::path& path) {
    Database(path, OpenMode::kReadWrite).execute("PRAGMA journal_mode = DELETE");
    return base::read_file(path);
  }

  // The database of the victim's attempt: three rows, of which one is preferred.
  std::string honest() {
    const fs::path path = folder_ / "honest.db";
    {
      Store store(path);
      const std::int64_t session = store.begin_session(testing::session());
      for (int row = 1; row <= 3; ++row)
        store.add_measurement(session, testing::measured(testing::configuration(32 * row), 100.0 + row));
      store.set_preferred(2);
    }
    return bytes_of(path);
  }

  // The attacker has read the victim's rows, with their origin. It changes all of them in every way that the
  // interface has, and adds a row of its own. All checksums are right.
  fs::path hostile(const std::string& read) {
    fs::path path = folder_ / "hostile.db";
    Store store(path);
    store.merge_owned(read, victim());
    store.set_time(1, {1.0, 1.0, 1.0}, {1.0});
    store.reject(2, {model::Status::kWrongResult, "x[0] is 3"});
    store.add_counters(3, {{"registers", 255.0}});
    store.set_preferred(3);
    store.finish_session(1, 7);
    store.set_roofs(testing::gpu(), {{"copy", 1.0, 0.0, {}, 1, {}}});
    const std::int64_t session = store.begin_session(testing::session());
    const std::int64_t own =
        store.add_measurement(session, testing::measured(testing::configuration(512), 50.0));
    store.set_preferred(own);
    return path;
  }

  // Everything that is the victim's, and what all share.
  static std::string rows_of_victim(const fs::path& path) {
    Database database(path, OpenMode::kReadWrite);
    const std::string of_victim = "(SELECT id FROM session WHERE origin = 111)";
    const std::vector<std::string> tables = {
        "session WHERE origin = 111",
        "measurement WHERE session_id IN " + of_victim,
        "counter WHERE measurement_id IN (SELECT id FROM measurement WHERE session_id IN " + of_victim + ")",
        "roof",
        "deletion",
        "workload WHERE id = 1",
        "gpu WHERE id = 1"};
    std::string all;
    for (const std::string& table : tables) {
      const std::string name = table.substr(0, table.find(' '));
      Statement columns = database.prepare("SELECT name FROM pragma_table_info(?)");
      columns.bind(name);
      std::string texts;
      while (columns.step()) {
        const std::string column = columns.text();
        // How many rows a workload has, which all change.
        if (column == "measured" || column == "evaluated") continue;
        texts += (texts.empty() ? "quote(" : " || ' ' || quote(") + column + ")";
      }
      Statement rows = database.prepare("SELECT " + texts + " FROM " + table);
      while (rows.step()) all += name + " " + rows.text() + "\n";
    }
    return all;
  }

  testing::TemporaryFolder folder_;
};

TEST_P(OwnedRowsTest, NothingOfOthersChanges) {
  const std::string rows = honest();
  const fs::path joined = folder_ / "joined.db";
  {
    Store store(joined);
    store.set_roofs(testing::gpu(), {{"copy", 4e12, 0.0, {}, 1, {}}});
    store.merge_owned(rows, victim());
  }
  const std::string before = rows_of_victim(joined);
  EXPECT_THAT(before, HasSubstr("measurement"));
  const fs::path batch = hostile(rows);
  Database(batch, OpenMode::kReadWrite).execute(GetParam().sql);
  Store store(joined);
  const std::string refusal = GetParam().refusal;
  if (refusal.empty()) {
    EXPECT_NO_THROW(store.merge_owned(bytes_of(batch), attacker()));
    EXPECT_GT(store.totals().measurements, 3) << "its own rows are kept";
  } else {
    try {
      store.merge_owned(bytes_of(batch), attacker());
      ADD_FAILURE() << "it was not refused";
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(refusal));
    }
    EXPECT_EQ(store.totals().measurements, 3);
  }
  EXPECT_EQ(rows_of_victim(joined), before);
  EXPECT_THAT(store.damage(), IsEmpty());
  EXPECT_EQ(store.merge_owned(rows, victim()).added, 0) << "others are merged as before";
  EXPECT_EQ(rows_of_victim(joined), before);
}

constexpr const char* kTooLarge = "beyond its limits";

INSTANTIATE_TEST_SUITE_P(
    Attacks, OwnedRowsTest,
    ::testing::Values(
        Attack{"ChangedRowsOfOthers", "", ""},
        Attack{"HighRevisions",
               "UPDATE session SET revision = 1000000; UPDATE measurement SET revision = 1000000", ""},
        Attack{"Deletions", "INSERT INTO deletion SELECT origin, origin_id, 0 FROM session", ""},
        Attack{"DeletionsOfRows",
               "INSERT INTO deletion SELECT 111, 1, origin_id FROM measurement WHERE id < 4; DELETE FROM "
               "measurement WHERE id < 4",
               ""},
        Attack{"ALargeChoice", "UPDATE measurement SET chosen = 9223372036854775807", ""},
        Attack{"RoofsOfALaterRevision", "UPDATE roof SET revision = 1000000", ""},
        Attack{"OriginsOfOthers", "UPDATE session SET origin = 111 WHERE id = 2", ""},
        Attack{"AnotherDescriptionOfTheGpu", "UPDATE gpu SET name = 'another'", ""},
        Attack{"AnotherBodyOfAConfiguration", "UPDATE configuration SET body = '{}' WHERE id = 1", ""},
        Attack{"TwoSessionsWithOneNumber", "UPDATE session SET origin_id = 1", "UNIQUE"},
        Attack{"ASessionWithoutANumber", "UPDATE session SET origin_id = NULL", "a session has no number"},
        Attack{"TheLastId", "UPDATE measurement SET origin_id = 9223372036854775807 WHERE id = 4", kTooLarge},
        Attack{"TheNumberOfALaterAttempt", "UPDATE measurement SET origin_id = (1 << 32) + 1 WHERE id = 4",
               "numbers of a later attempt"},
        Attack{"TheIdOfALaterAttempt",
               "DELETE FROM measurement WHERE id = 4;"
               "UPDATE measurement SET id = (1 << 32) + 1, origin_id = NULL WHERE id = 3",
               "numbers of a later attempt"},
        Attack{"ANegativeNumber", "UPDATE measurement SET origin_id = -1 WHERE id = 4", kTooLarge},
        Attack{"TheLastRevision", "UPDATE measurement SET revision = 9223372036854775807", kTooLarge},
        Attack{"TheLastRevisionOfASession", "UPDATE session SET revision = 9223372036854775807", kTooLarge},
        Attack{"TheEndOfTime", "UPDATE measurement SET time_stamp_ms = 9223372036854775807", kTooLarge},
        Attack{"NegativeRegisters", "UPDATE measurement SET registers_per_thread = -1", kTooLarge},
        Attack{"ANegativeTime", "UPDATE measurement SET median_ns = -1.0", kTooLarge},
        Attack{"AnInfiniteTime", "UPDATE measurement SET median_ns = 9e999", kTooLarge},
        Attack{"AnInfiniteCounter", "UPDATE counter SET value = -9e999", kTooLarge},
        Attack{"AnotherProblemForAKey", "UPDATE workload SET problem = '{\"N\":1}'",
               "differs from its problem"},
        Attack{"AnUnknownGpu", "UPDATE workload SET gpu_key = 'x'", "names no known GPU"},
        Attack{"ATrigger",
               "CREATE TRIGGER evil AFTER UPDATE ON session BEGIN UPDATE session SET origin = 111; END",
               "schema"},
        Attack{"AView", "CREATE VIEW evil AS SELECT * FROM session", "schema"},
        Attack{"ATable", "CREATE TABLE evil(x)", "schema"},
        Attack{"AnotherTrigger", "DROP TRIGGER measurement_changed", "schema"},
        // The index of choices does not have row 1, so a change of all choices would leave this one out.
        Attack{"AnIndexWithoutARow",
               "PRAGMA writable_schema = ON;"
               "CREATE TEMP TABLE hidden AS SELECT * FROM sqlite_schema WHERE name = 'measurement_chosen';"
               "DELETE FROM sqlite_schema WHERE name = 'measurement_chosen'; PRAGMA writable_schema = RESET;"
               "UPDATE measurement SET chosen = 1 << 62, preferred = 1 WHERE id = 1;"
               "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM hidden;"
               "PRAGMA writable_schema = RESET",
               "missing from index measurement_chosen"},
        Attack{"AnotherVersion", "PRAGMA user_version = 9", "another version of warptune"}),
    [](const auto& attack) { return std::string(attack.param.name); });

using OwnedRowsFileTest = OwnedRowsTest;

TEST_F(OwnedRowsFileTest, DamagedBytesAreRefused) {
  const std::string rows = honest();
  Store store(folder_ / "joined.db");
  EXPECT_THROW(store.merge_owned("", victim()), base::InputError);
  EXPECT_THROW(store.merge_owned(std::string(4096, 'x'), victim()), base::InputError);
  EXPECT_THROW(store.merge_owned(rows.substr(0, rows.size() / 2), victim()), base::InputError);
  std::string changed = rows;
  for (std::size_t at = 5000; at < changed.size(); at += 97) changed[at] = 'x';
  EXPECT_THROW(store.merge_owned(changed, victim()), base::InputError);
  EXPECT_EQ(store.totals().measurements, 0);
  EXPECT_EQ(store.merge_owned(rows, victim()).added, 3);
}

TEST_F(OwnedRowsFileTest, TheOwnerMayObjectToWorkloads) {
  const std::string rows = honest();
  Store store(folder_ / "joined.db");
  RowOwner owner = victim();
  owner.objection = [](const model::Workload& workload, bool is_measured) {
    EXPECT_EQ(workload.gpu.name, testing::gpu().name);
    EXPECT_TRUE(is_measured);
    return workload.kernel == testing::workload().kernel ? "not this kernel" : "";
  };
  EXPECT_THROW(store.merge_owned(rows, owner), base::InputError);
  EXPECT_EQ(store.totals().measurements, 0);
}

constexpr std::int64_t kNumbers = RowOwner::kNumbersPerChoice;

TEST_F(OwnedRowsFileTest, ALargeNumberTakesNoneFromOthers) {
  honest();
  const fs::path path = folder_ / "honest.db";
  Database(path, OpenMode::kReadWrite).execute("UPDATE measurement SET origin_id = 1 << 32 WHERE id = 3");
  Store store(folder_ / "joined.db");
  EXPECT_EQ(store.merge_owned(bytes_of(path), attacker()).added, 3);
  const std::int64_t session = store.begin_session(testing::session());
  EXPECT_EQ(store.add_measurement(session, testing::measured(testing::configuration(512), 50.0)), 4);
}

TEST_F(OwnedRowsFileTest, TheRowsOfALaterLeaseAreLater) {
  honest();
  const fs::path path = folder_ / "honest.db";
  // The attacker claims the largest number of its attempt, for the configuration of row 3.
  Database(path, OpenMode::kReadWrite).execute("UPDATE measurement SET origin_id = 1 << 32 WHERE id = 3");
  const std::string claimed = bytes_of(path);
  const fs::path later = folder_ / "later.db";
  {
    Store store(later);
    store.add_measurement(store.begin_session(testing::session()),
                          testing::measured(testing::configuration(96), 200.0));
  }
  extract_rows(later, {1}, {1}, folder_ / "numbered.db", kNumbers);
  const std::string numbered = bytes_of(folder_ / "numbered.db");
  EXPECT_THAT(Store::open_existing(folder_ / "numbered.db").damage(), IsEmpty());
  for (const bool later_first : {false, true}) {
    Store store(folder_ / (later_first ? "one.db" : "other.db"));
    if (later_first) store.merge_owned(numbered, victim());
    store.merge_owned(claimed, attacker());
    if (!later_first) store.merge_owned(numbered, victim());
    EXPECT_EQ(store.totals().measurements, 4);
    EXPECT_THAT(store.damage(), IsEmpty());
    const std::vector<StoredMeasurement> rows = store.measurements(testing::workload());
    EXPECT_EQ(
        std::count_if(rows.begin(), rows.end(),
                      [](const StoredMeasurement& row) { return row.measurement.time->median_ns == 200.0; }),
        1)
        << "the latest row of its configuration";
    EXPECT_EQ(rows.size(), 3);
  }
}

TEST_F(OwnedRowsFileTest, ChoicesAfterALargeNumberKeepTheirOrder) {
  honest();
  const fs::path path = folder_ / "honest.db";
  // The attacker leaves a single number below the limit.
  Database(path, OpenMode::kReadWrite).execute("UPDATE measurement SET chosen = (1 << 20) - 2 WHERE id = 2");
  const fs::path continued = folder_ / "continued.db";
  std::int64_t session = 0;
  std::vector<std::int64_t> own;
  {
    Store store(continued);
    store.merge_owned(bytes_of(path), attacker());
    session = store.begin_session(testing::session());
    for (const int block : {512, 1024, 2048}) {
      own.push_back(store.add_measurement(
          session, testing::measured(testing::configuration(block), static_cast<double>(block))));
      store.set_preferred(own.back());
    }
  }
  extract_rows(continued, own, {session}, folder_ / "batch.db", kNumbers);
  const fs::path joined = folder_ / "joined.db";
  Store(joined).merge_owned(bytes_of(folder_ / "batch.db"), victim());
  EXPECT_EQ(
      Database(joined, OpenMode::kReadOnly).text("SELECT median_ns FROM measurement WHERE preferred = 1"),
      "2048.0");
}

// What SQLite may allocate while the object exists, beyond what it has allocated already.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t bytes) { sqlite3_hard_heap_limit64(sqlite3_memory_used() + bytes); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() { sqlite3_hard_heap_limit64(0); }
};

TEST_F(OwnedRowsFileTest, ABatchThatNeedsTooMuchMemoryIsRefused) {
  const std::string rows = honest();
  const fs::path path = folder_ / "honest.db";
  Database(path, OpenMode::kReadWrite)
      .execute(
          "UPDATE session SET search_state = hex(zeroblob(1 << 21)); UPDATE measurement SET chosen = id");
  const std::string large = bytes_of(path);
  Store store(folder_ / "joined.db");
  int refused = 0;
  for (std::int64_t limit = std::int64_t{1} << 20; limit <= std::int64_t{1} << 24; limit += 1 << 20) {
    try {
      const MemoryLimit memory(limit);
      store.merge_owned(large, attacker());
    } catch (const base::InputError& error) {
      // The check of the file says it in its own words.
      EXPECT_THAT(error.what(), AnyOf(HasSubstr("not enough memory"), HasSubstr("failed to get page")));
      ++refused;
    }
    EXPECT_NO_THROW(store.merge_owned(rows, victim())) << "others are merged, limit " << limit;
  }
  EXPECT_GT(refused, 3);
  EXPECT_NO_THROW(store.merge_owned(large, attacker()));
  EXPECT_EQ(store.totals().measurements, 6);
  EXPECT_THAT(store.damage(), IsEmpty());
}

// The largest size of a database in memory. No connection may be open.
void limit_databases_in_memory(sqlite3_int64 bytes) {
  sqlite3_shutdown();
  ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_MEMDB_MAXSIZE, bytes), SQLITE_OK);
  ASSERT_EQ(sqlite3_initialize(), SQLITE_OK);
}

TEST_F(OwnedRowsFileTest, ABatchThatGrowsTooLargeIsRefused) {
  const std::string rows = honest();
  const fs::path path = folder_ / "honest.db";
  {
    Store store(path);
    for (int session = 0; session < 300; ++session) store.begin_session(testing::session());
  }
  // Origins of one byte get eight.
  Database(path, OpenMode::kReadWrite).execute("UPDATE session SET origin = 0; VACUUM");
  const std::string packed = bytes_of(path);
  limit_databases_in_memory(1 << 16);  // `packed` is larger, so it cannot grow at all.
  const RowOwner owner{std::int64_t{1} << 60, 1, {}};
  {
    Store store(folder_ / "joined.db");
    try {
      store.merge_owned(packed, owner);
      ADD_FAILURE() << "it was not refused";
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("larger than a database in memory may be"));
    }
    EXPECT_EQ(store.totals().sessions, 0);
    EXPECT_EQ(store.merge_owned(rows, victim()).added, 3) << "others are merged";
  }
  limit_databases_in_memory(std::int64_t{1} << 30);  // SQLite's default.
  EXPECT_EQ(Store(folder_ / "joined.db").merge_owned(packed, owner).sessions, 301);
}

TEST_F(OwnedRowsFileTest, TheLaterLeaseChooses) {
  const std::string rows = honest();
  for (const bool later_first : {false, true}) {
    Store store(folder_ / (later_first ? "one.db" : "other.db"));
    const RowOwner first{1, 1, {}};
    const RowOwner later{2, 2, {}};
    store.merge_owned(rows, later_first ? later : first);
    store.merge_owned(rows, later_first ? first : later);
    EXPECT_EQ(store.totals().measurements, 6);
    EXPECT_THAT(store.damage(), IsEmpty());
    Database database(folder_ / (later_first ? "one.db" : "other.db"), OpenMode::kReadWrite);
    EXPECT_EQ(database.integer("SELECT origin FROM session WHERE id ="
                               " (SELECT session_id FROM measurement WHERE preferred = 1)"),
              2);
  }
}

}  // namespace
}  // namespace warptune::db::storage::merging
