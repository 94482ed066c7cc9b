// Databases that are merged in any order and any number of times hold the same.
#include "db/storage/merging/merge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "db/store.h"
#include "tests/db/killed_process.h"
#include "tests/db/storage/changed_file.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage::merging {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Everything that does not depend on local ids, as text. Rows are named by their origin.
std::string content_of(const fs::path& path) {
  Database database(path, OpenMode::kReadOnly);
  std::string text;
  for (const char* query :
       {"SELECT 'session', origin, origin_id, revision, finished_ms, roof_copy_bytes_per_s, checksum,"
        "  kernel.hash, problem_key, workload.gpu_key, description FROM session"
        "  JOIN workload ON workload.id = workload_id JOIN kernel ON kernel.id = kernel_id"
        "  JOIN gpu ON gpu.id = gpu_id ORDER BY 2, 3",
        "SELECT 'row', origin, session.origin_id, coalesce(m.origin_id, m.id), m.revision, m.chosen,"
        "  nullif(m.preferred, 0), status, median_ns, hex(samples), m.checksum, m.counter_checksum, body, "
        "problem_key,"
        "  (SELECT group_concat(name || '=' || value) FROM (SELECT name, value FROM counter"
        "   JOIN metric ON metric.id = metric_id WHERE measurement_id = m.id ORDER BY name))"
        "  FROM measurement AS m JOIN session ON session.id = session_id"
        "  JOIN configuration ON configuration.id = configuration_id"
        "  JOIN workload ON workload.id = configuration.workload_id ORDER BY 2, 3, 4",
        "SELECT 'latest', problem_key, gpu_key, key, latest_ns, latest_replayed, latest_preferred,"
        "  coalesce(m.origin_id, m.id), m.checksum FROM configuration"
        "  JOIN workload ON workload.id = workload_id JOIN measurement AS m ON m.id = latest_id"
        "  ORDER BY 2, 3, 4",
        "SELECT 'winner', problem_key, gpu_key, measured, evaluated, m.checksum FROM winner"
        "  JOIN workload ON workload.id = winner.workload_id JOIN measurement AS m ON m.id = measurement_id"
        "  ORDER BY 2, 3",
        "SELECT 'roof', gpu_key, name, value, revision FROM roof ORDER BY 2, 3",
        "SELECT 'deletion', origin, session_id, measurement_id FROM deletion ORDER BY 2, 3, 4"}) {
    Statement rows = database.prepare(query);
    while (rows.step()) {
      for (int column = 0; column < 15; ++column) text += rows.text() + "|";
      text += "\n";
    }
  }
  return text;
}

class MergeTest : public ChangedFileTest {
 protected:
  fs::path at(const std::string& name) const { return folder_ / (name + ".db"); }

  // A copy of a database that no process uses.
  fs::path copy(const fs::path& from, const std::string& name) const {
    fs::copy_file(from, at(name), fs::copy_options::overwrite_existing);
    return at(name);
  }

  // The content of `first`, into which the others were merged one after another.
  std::string merged(const fs::path& first, const std::vector<fs::path>& others) const {
    const fs::path result = copy(first, "result");
    for (const fs::path& other : others) Store(result).merge(other);
    EXPECT_THAT(Store::open_existing(result).damage(), IsEmpty());
    return content_of(result);
  }

  std::string refusal(const fs::path& source) const {
    try {
      Store(path_).merge(source);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

// Stores some sessions as programs do. Few configurations and times make equal rows and ties likely.
void work_on(const fs::path& path, std::uint64_t seed) {
  Store store(path);
  base::Random random(seed);
  const model::GpuDescription other = testing::gpu(8, 0, 108, "NVIDIA A100");
  const model::NamedValues small = {{"N", std::int64_t{64}}, {"dtype", std::string("f32")}};
  for (std::uint64_t run = 1 + random.below(3); run > 0; --run) {
    const model::Workload workload = random.below(2) == 0   ? testing::workload()
                                     : random.below(2) == 0 ? testing::workload(small)
                                                            : testing::workload(small, other);
    Session session = testing::session(workload);
    session.seed = random.below(1000);
    session.started_ms -= static_cast<std::int64_t>(random.below(1000000));  // Clocks differ.
    const std::int64_t id = store.begin_session(session);
    std::vector<std::int64_t> rows;
    for (std::uint64_t row = 5 + random.below(15); row > 0; --row) {
      const auto block = static_cast<std::int64_t>(1 + random.below(6));
      model::Measurement measurement =
          testing::measured(testing::configuration(block), 100.0 + static_cast<double>(random.below(4)));
      if (random.below(3) == 0)
        measurement.source = random.below(2) == 0 ? model::RowSource::kReplayed : model::RowSource::kImported;
      measurement.time_stamp_ms -= static_cast<std::int64_t>(random.below(1000000));
      rows.push_back(store.add_measurement(id, measurement));
      if (random.below(3) == 0) store.add_counters(rows.back(), {{"energy_j", random.unit()}});
    }
    const auto any = [&] { return rows[random.below(rows.size())]; };
    store.set_time(any(), {99.0, 98.0, 103.0}, {99.0, 98.0, 103.0});
    if (random.below(2) == 0) store.set_preferred(any());
    store.reject(any(), {model::Status::kWrongResult, "differs"});
    if (random.below(2) == 0) store.set_preferred(any());
    if (random.below(2) == 0)
      store.set_roofs(workload.gpu, {{"copy", 4e12 + random.unit(), 0.01, 1980.0, 5, 6}});
    if (random.below(4) != 0) store.finish_session(id, session.started_ms + 1000);
  }
}

TEST_F(MergeTest, AddsTheRowsOfBothFiles) {
  work_on(at("a"), 1);
  work_on(at("b"), 2);
  const std::uint64_t rows = Store(at("a")).totals().measurements + Store(at("b")).totals().measurements;
  const std::uint64_t of_b = Store(at("b")).totals().measurements;
  const std::string before = content_of(at("b"));
  Store store(at("a"));
  const MergeCounts counts = store.merge(at("b"));
  EXPECT_EQ(counts.added, of_b);
  EXPECT_EQ(counts.known + counts.updated + counts.refused + counts.removed, 0U);
  EXPECT_EQ(store.totals().measurements, rows);
  EXPECT_THAT(store.damage(), IsEmpty());
  EXPECT_EQ(content_of(at("b")), before);
}

TEST_F(MergeTest, AgainChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const fs::path a = at(fmt::format("a{}", seed));
    const fs::path b = at(fmt::format("b{}", seed));
    work_on(a, seed);
    work_on(b, 100 + seed);
    const std::uint64_t added = Store(a).merge(b).added;
    const std::string once = content_of(a);
    const std::string bytes = testing::slurp(a);
    const MergeCounts again = Store(a).merge(b);
    EXPECT_EQ(again.known, added);
    EXPECT_EQ(again.added + again.updated + again.refused + again.removed + again.sessions, 0U);
    EXPECT_EQ(content_of(a), once) << seed;
    EXPECT_EQ(testing::slurp(a).substr(100), bytes.substr(100)) << seed;  // The header counts commits.
  }
}

TEST_F(MergeTest, InAnyOrderGivesTheSame) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (const char* name : {"a", "b", "c"}) fs::remove(at(name));
    work_on(at("a"), seed);
    work_on(at("b"), 100 + seed);
    work_on(at("c"), 200 + seed);
    const std::string all = merged(at("a"), {at("b"), at("c")});
    EXPECT_EQ(merged(at("b"), {at("a"), at("c")}), all) << seed;
    EXPECT_EQ(merged(at("c"), {at("b"), at("a"), at("b")}), all) << seed;
    const fs::path b_and_c = copy(at("b"), "b_and_c");
    Store(b_and_c).merge(at("c"));
    EXPECT_EQ(merged(at("a"), {b_and_c}), all) << seed;
    EXPECT_EQ(merged(b_and_c, {at("a")}), all) << seed;
  }
}

// Two people go on with copies of one file, and merge them sometimes.
TEST_F(MergeTest, CopiesThatWereWrittenSeparatelyBecomeTheSameAgain) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    fs::remove(at("a"));
    work_on(at("a"), seed);
    copy(at("a"), "b");
    base::Random random(seed);
    for (int round = 0; round < 3; ++round) {
      for (const char* name : {"a", "b"}) {
        work_on(at(name), random.below(1000000));
        Store store(at(name));
        // Both change the same earlier row.
        const std::vector<StoredMeasurement> rows = store.session_measurements(store.sessions().front().id);
        if (random.below(2) == 0) store.set_preferred(rows.front().id);
        if (random.below(2) == 0) store.add_counters(rows.front().id, {{"power_w", random.unit()}});
      }
      const std::string all = merged(at("a"), {at("b")});
      EXPECT_EQ(merged(at("b"), {at("a")}), all) << seed;
      Store(at("a")).merge(at("b"));
    }
    Store(at("b")).merge(at("a"));
    EXPECT_EQ(content_of(at("a")), content_of(at("b"))) << seed;
  }
}

TEST_F(MergeTest, ALaterFormOfARowReplacesTheEarlier) {
  std::int64_t row = 0;
  {
    Store store(path_);
    row = store.add_measurement(store.begin_session(testing::session()),
                                testing::measured(testing::configuration(1), 20.0));
  }
  copy(path_, "earlier");
  {
    Store store(path_);
    store.set_time(row, {10.0, 9.0, 11.0}, {10.0});
    store.set_counters(row, {{"a", 2.0}});
  }
  EXPECT_EQ(Store(path_).merge(at("earlier")).known, 1U);
  EXPECT_EQ(Store(path_).measurement(row)->measurement.time->median_ns, 10.0);
  Store earlier(at("earlier"));
  EXPECT_EQ(earlier.merge(path_).updated, 1U);
  EXPECT_EQ(earlier.measurement(row)->measurement.time->median_ns, 10.0);
  EXPECT_EQ(earlier.counters(row), (model::Counters{{"a", 2.0}}));
  EXPECT_EQ(earlier.winners("vector-add", "").at(0).best.time->median_ns, 10.0);
  EXPECT_EQ(earlier.totals().measurements, 1U);
}

// A measurement is later than all that its file knew, whatever the clocks of the machines say.
TEST_F(MergeTest, ClocksDoNotDecideWhichMeasurementIsTheLatest) {
  const auto measure = [](const fs::path& path, double time_ns, std::int64_t time_stamp_ms) {
    Store store(path);
    model::Measurement row = testing::measured(testing::configuration(1), time_ns);
    row.time_stamp_ms = time_stamp_ms;
    store.add_measurement(store.begin_session(testing::session()), row);
  };
  measure(path_, 20.0, 9000);
  measure(at("b"), 30.0, 1000);
  Store(at("b")).merge(path_);
  measure(at("b"), 40.0, 2000);  // The newest, on a machine whose clock is slow.
  Store store(path_);
  store.merge(at("b"));
  EXPECT_EQ(
      store.latest_measurement(testing::workload(), testing::configuration(1))->measurement.time->median_ns,
      40.0);
  EXPECT_EQ(store.measurements(testing::workload()).at(0).measurement.time->median_ns, 40.0);
}

TEST_F(MergeTest, ADeletedRowDoesNotComeBack) {
  work_on(path_, 1);
  copy(path_, "whole");
  run_sql(
      "INSERT INTO deletion SELECT origin, origin_id, (SELECT min(id) FROM measurement WHERE session_id ="
      " session.id) FROM session WHERE id = 1; DELETE FROM measurement WHERE id = 1");
  const std::string without = content_of(path_);
  const MergeCounts again = Store(path_).merge(at("whole"));
  EXPECT_EQ(again.added, 0U);
  EXPECT_EQ(again.skipped, 1U);
  EXPECT_EQ(content_of(path_), without);
  EXPECT_EQ(Store(at("whole")).merge(path_).removed, 1U);
  EXPECT_EQ(content_of(at("whole")), without);
  const std::uint64_t rows = Store(at("whole")).session_measurements(1).size();
  copy(at("whole"), "later");
  run_sql(
      "INSERT INTO deletion SELECT origin, origin_id, 0 FROM session WHERE id = 1; DELETE FROM session WHERE "
      "id "
      "= 1");
  EXPECT_EQ(Store(path_).merge(at("later")).skipped, rows);
  Store(at("whole")).merge(path_);
  EXPECT_FALSE(Store(at("whole")).session(1).has_value());
  EXPECT_THAT(Store(at("whole")).damage(), IsEmpty());
}

TEST_F(MergeTest, DamagedRowsAreNotTaken) {
  { const Store made(path_); }
  for (const auto& [change, refused] : std::vector<std::pair<const char*, std::uint64_t>>{
           {"UPDATE measurement SET median_ns = 1 WHERE id = 2", 1},
           {"UPDATE counter SET value = 1 WHERE measurement_id = 2", 1},
           {"UPDATE configuration SET key = '{}' WHERE id = 1", 2},
           {"UPDATE session SET work_flops = 5", 6},
           {"UPDATE gpu SET sm_count = 5", 6}}) {
    fs::remove(at("b"));
    {
      Store store(at("b"));
      const std::int64_t id = store.begin_session(testing::session());
      for (int i = 0; i < 6; ++i)
        store.add_measurement(id, testing::measured(testing::configuration(i % 3), 10.0 + i));
    }
    copy(path_, "a");
    {
      Database database(at("b"), OpenMode::kReadWrite);
      database.execute(change);
    }
    Store store(at("a"));
    const MergeCounts counts = store.merge(at("b"));
    EXPECT_EQ(counts.refused, refused) << change;
    EXPECT_EQ(counts.added, 6 - refused) << change;
    EXPECT_THAT(store.damage(), IsEmpty()) << change;
    EXPECT_EQ(store.merge(at("b")).refused, refused) << change;
  }
}

TEST_F(MergeTest, ADamagedFormDoesNotReplaceAGoodOne) {
  work_on(path_, 1);
  copy(path_, "b");
  {
    Database database(at("b"), OpenMode::kReadWrite);
    database.execute("UPDATE measurement SET revision = 9, median_ns = 1, checksum = 5 WHERE id < 4");
    database.execute("UPDATE session SET revision = 9, work_flops = 5, checksum = 5");
    database.execute("UPDATE roof SET revision = 9, value = 5");
  }
  const std::string before = content_of(path_);
  EXPECT_EQ(Store(path_).merge(at("b")).refused, 3U);
  EXPECT_EQ(content_of(path_), before);
}

TEST_F(MergeTest, FilesThatCannotBeMergedAreRefusedAndNothingChanges) {
  work_on(path_, 1);
  work_on(at("b"), 2);
  const std::string before = content_of(path_);
  EXPECT_THAT(refusal(path_), HasSubstr("a database cannot be merged into itself"));
  fs::create_symlink(path_, at("link"));
  EXPECT_THAT(refusal(at("link")), HasSubstr("a database cannot be merged into itself"));
  EXPECT_THAT(refusal(at("none")), HasSubstr("none.db: there is no database to merge"));
  testing::spill(at("text"), std::string(5000, 'x'));
  EXPECT_THAT(refusal(at("text")), HasSubstr("text.db: expected a warptune database"));
  const std::string whole = testing::slurp(at("b"));
  testing::spill(at("half"), whole.substr(0, whole.size() / 2));
  EXPECT_NE(refusal(at("half")), "accepted");
  std::string damaged = whole;
  for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 8192; ++i) damaged[i] = '\x5a';
  testing::spill(at("damaged"), damaged);
  EXPECT_THAT(refusal(at("damaged")), AllOf(HasSubstr("damaged.db"), HasSubstr("damaged database")));
  { Database(copy(at("b"), "newer"), OpenMode::kReadWrite).execute("PRAGMA user_version = 99"); }
  EXPECT_THAT(refusal(at("newer")), HasSubstr("newer warptune: schema version 99"));
  { Database(copy(at("b"), "view"), OpenMode::kReadWrite).execute("DROP TRIGGER measurement_removed"); }
  EXPECT_THAT(refusal(at("view")), HasSubstr("the schema differs"));
  EXPECT_EQ(content_of(path_), before);
  EXPECT_EQ(refusal(at("b")), "accepted");
}

// A link in the place of the log's index makes SQLite fail as in a folder that cannot be written, also for
// root.
TEST_F(MergeTest, ASourceThatCanOnlyBeReadIsMerged) {
  work_on(path_, 1);
  work_on(at("b"), 2);
  fs::create_symlink("nowhere", at("b").string() + "-shm");
  EXPECT_EQ(refusal(at("b")), "accepted");
  EXPECT_EQ(Store(path_).merge(at("b")).added, 0U);
}

TEST_F(MergeTest, AMessageAboutTheSourceIsOneLineThatNamesTheSource) {
  work_on(path_, 1);
  work_on(at("b"), 2);
  std::string damaged = testing::slurp(at("b"));
  for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 8192; ++i) damaged[i] = '\x5a';
  testing::spill(at("b"), damaged);
  EXPECT_THAT(refusal(at("b")), AllOf(HasSubstr("b.db: damaged database: "), HasSubstr("warptune db backup"),
                                      ::testing::Not(HasSubstr("***")), ::testing::Not(HasSubstr("\n"))));
}

TEST_F(MergeTest, ASourceIsVerifiedBeforeADatabaseIsMade) {
  work_on(path_, 1);
  EXPECT_THROW(Store::require_mergeable(at("none"), at("new")), base::InputError);
  EXPECT_NO_THROW(Store::require_mergeable(path_, at("new")));
  EXPECT_FALSE(fs::exists(at("new")));
}

TEST_F(MergeTest, TwoCopiesOfAnEarlierSchemaHaveTheSameRows) {
  work_on(path_, 1);
  run_sql(std::string(testing::kUndoReplays) +
          "CREATE VIEW winner AS SELECT workload_id FROM configuration; PRAGMA user_version = 8;");
  copy(path_, "b");
  work_on(path_, 2);
  Store store(at("b"));
  const std::uint64_t rows = store.totals().measurements;
  const MergeCounts counts = store.merge(path_);
  EXPECT_EQ(counts.known, rows);
  EXPECT_GT(counts.added, 0U);
  EXPECT_EQ(store.merge(path_).added, 0U);
}

TEST_F(MergeTest, AKillLeavesTheFileBeforeOrAfterTheMerge) {
  work_on(at("a"), 1);
  {
    Store store(at("b"));
    const std::int64_t id = store.begin_session(testing::session());
    Store::Batch batch(store);
    for (int i = 0; i < 3000; ++i)
      store.add_measurement(id, testing::measured(testing::configuration(i), 10.0 + i));
    batch.commit();
  }
  const std::string before = content_of(at("a"));
  const std::string after = merged(at("a"), {at("b")});
  int early = 0;
  constexpr int kKills = 20;
  for (int i = 0; i < kKills; ++i) {
    const fs::path target = copy(at("a"), fmt::format("k{}", i));
    testing::run_and_kill(std::chrono::microseconds(i * 300000 / kKills),
                          [&] { Store(target).merge(at("b")); });
    { const Store recovered(target); }
    const std::string found = content_of(target);
    EXPECT_TRUE(found == before || found == after) << i;
    if (found == before) ++early;
  }
  EXPECT_GT(early, 1) << "every kill came too late to try what this is for";
}

}  // namespace
}  // namespace warptune::db::storage::merging
