// Rows and their checksums: damaged rows that SQLite does not notice are never used.
#include "db/storage/checksums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "base/error.h"
#include "base/random.h"
#include "db/recordings/values_json.h"
#include "db/storage/schema.h"
#include "db/storage/sqlite.h"
#include "db/store.h"
#include "tests/db/storage/changed_file.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage {
namespace {

namespace fs = std::filesystem;
using testing::configuration;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::measured;
using ::testing::SizeIs;

class ChecksumsTest : public ChangedFileTest {
 protected:
  // Changes rows without warptune, so that they keep their old checksums.
  void damage(const std::string& statements) const {
    int changed_rows = 0;
    run_sql(statements, &changed_rows);
    EXPECT_NE(changed_rows, 0) << statements;
  }
};

// BLOCK = 64 is the fastest, then 128, then 256, the default.
class RowsWithChecksums : public ChecksumsTest {
 protected:
  RowsWithChecksums() {
    Store store(path_);
    session_ = store.begin_session(testing::session());
    for (const std::int64_t block : {64, 128, 256})
      rows_[block] = store.add_measurement(
          session_, testing::measured(testing::configuration(block), static_cast<double>(block)));
  }

  std::string best() const {
    const std::vector<Winner> winners = Store::open_existing(path_).winners("vector-add", "");
    return winners.empty() ? "" : model::to_text(*model::find(winners[0].best.configuration, "BLOCK"));
  }

  std::int64_t session_ = 0;
  std::map<std::int64_t, std::int64_t> rows_;
};

TEST_F(RowsWithChecksums, WithoutDamageAllFitWhateverWroteThem) {
  Store store(path_);
  store.set_time(rows_[64], {9.0, 8.0, 9.5}, {9.0, 8.0, 9.5, 9.25});
  store.set_counters(rows_[64], {{"a", 1.5}, {"b", 0.0}, {"c", std::numeric_limits<double>::quiet_NaN()}});
  store.add_counters(rows_[128], {{"a", 3.5}});
  store.reject(rows_[256], {model::Status::kWrongResult, "differs"});
  store.set_preferred(rows_[128]);
  store.set_session_roofs(session_, {4e12, 6e13});
  store.finish_session(session_, 1700000001000);
  store.set_search_state(session_, "a search");
  store.set_roofs(testing::gpu(), {{"copy", 4e12, 0.01, 1980.0, 1700000000000, 13000}});
  EXPECT_THAT(store.damage(), IsEmpty());
  EXPECT_THAT(store.measurements(testing::workload()), SizeIs(3));
  EXPECT_THAT(store.sessions(), SizeIs(1));
  EXPECT_THAT(store.roofs(testing::gpu()), SizeIs(1));
  EXPECT_EQ(store.counters(rows_[64]).at("a"), 1.5);
}

TEST_F(RowsWithChecksums, OfUnusualNumbersFitToo) {
  Store store(path_);
  model::Measurement odd = testing::measured(testing::configuration(512), 1000.0);
  odd.time = {std::numeric_limits<double>::infinity(), -0.0, std::nullopt};
  odd.resources.theoretical_occupancy = std::numeric_limits<double>::quiet_NaN();
  odd.compile_ms = -0.0;
  odd.samples_ns = {-0.0, std::numeric_limits<double>::quiet_NaN(), 5e-324};
  odd.counters = {{"minus zero", -0.0}, {"infinite", std::numeric_limits<double>::infinity()}};
  odd.reason = std::string("caf\xe9 \0 x", 8);
  store.add_measurement(session_, odd);
  EXPECT_THAT(store.damage(), IsEmpty());
}

TEST_F(RowsWithChecksums, ARowThatDoesNotFitIsNeverTheBest) {
  EXPECT_EQ(best(), "64");
  damage("UPDATE measurement SET median_ns = 1.0 WHERE median_ns = 128.0");
  EXPECT_EQ(best(), "64");
  damage("UPDATE measurement SET reason = 'x' WHERE median_ns = 64.0");
  EXPECT_EQ(best(), "256");
  EXPECT_THAT(Store::open_existing(path_).measurements(testing::workload()), SizeIs(1));
  EXPECT_THAT(problems(), ::testing::ElementsAre("measurement 1 does not fit its checksum",
                                                 "measurement 2 does not fit its checksum"));
}

TEST_F(RowsWithChecksums, EachColumnIsCovered) {
  const std::string whole = testing::slurp(path_);
  for (const char* change :
       {"status = 'dropped'", "reason = 'r'", "median_ns = 63.5", "low_ns = 1.5", "high_ns = 99.5",
        "samples = x'0000000000000000'", "registers_per_thread = 33", "blocks = 7",
        "theoretical_occupancy = 0.5", "compile_ms = 13.5", "time_stamp_ms = 5", "configuration_id = 2"}) {
    damage(std::string("UPDATE measurement SET ") + change + " WHERE id = 1");
    EXPECT_THAT(problems(), ::testing::Contains("measurement 1 does not fit its checksum")) << change;
    testing::spill(path_, whole);
  }
}

TEST_F(RowsWithChecksums, WhatARowIsAboutIsCoveredToo) {
  const std::string whole = testing::slurp(path_);
  for (const char* change :
       {"UPDATE configuration SET body = replace(body, '64', '32')",
        "UPDATE workload SET problem_key = replace(problem_key, '4096', '4097')",
        "UPDATE workload SET cache_state = 'warm'", "UPDATE kernel SET hash = 'other'"}) {
    damage(change);
    EXPECT_NE(problems(), std::vector<std::string>()) << change;
    for (const Winner& winner : Store::open_existing(path_).winners("vector-add", ""))
      EXPECT_NE(model::to_text(*model::find(winner.best.configuration, "BLOCK")), "32") << change;
    testing::spill(path_, whole);
  }
}

TEST_F(RowsWithChecksums, ASessionThatDoesNotFitTakesItsRowsFromTheWinners) {
  damage("UPDATE session SET work_flops = 5");
  EXPECT_EQ(best(), "");
  EXPECT_THAT(Store::open_existing(path_).sessions(), IsEmpty());
  EXPECT_THAT(problems(), ::testing::ElementsAre("session 1 does not fit its checksum"));
}

TEST_F(RowsWithChecksums, CountersThatDoNotFitAreLeftOutAndTheTimeStays) {
  damage("UPDATE counter SET value = 99.5 WHERE measurement_id = 1");
  EXPECT_EQ(best(), "64");
  const Store store = Store::open_existing(path_);
  EXPECT_THAT(store.counters(rows_[64]), IsEmpty());
  EXPECT_THAT(store.measurements(testing::workload()).at(0).measurement.counters, IsEmpty());
  EXPECT_THAT(store.counters(rows_[128]), SizeIs(2));
  EXPECT_THAT(problems(), ::testing::ElementsAre("measurement 1 its counters do not fit their checksum"));
}

TEST_F(RowsWithChecksums, ADamagedRowGetsNoNewChecksum) {
  damage(
      "UPDATE measurement SET samples = x'' WHERE id = 1; UPDATE session SET work_flops = 5;"
      "UPDATE counter SET value = 99.5 WHERE measurement_id = 2");
  Store store(path_);
  store.set_time(rows_[64], {9.0, 8.0, 9.5}, {9.0});
  store.reject(rows_[64], {model::Status::kWrongResult, "differs"});
  store.finish_session(session_, 5);
  store.set_session_roofs(session_, {4e12, 6e13});
  store.add_counters(rows_[128], {{"new", 1.0}});
  EXPECT_THAT(store.session_measurements(session_), SizeIs(2));
  EXPECT_EQ(store.session(session_), std::nullopt);
  EXPECT_EQ(store.counters(rows_[128]), (model::Counters{{"new", 1.0}}));
}

TEST_F(RowsWithChecksums, ARoofThatDoesNotFitIsMeasuredAnew) {
  {
    Store(path_).set_roofs(testing::gpu(), {{"copy", 4e12, 0.01, 1980.0, 0, 0}, {"read", 5e12, 0, 0, 0, 0}});
  }
  damage("UPDATE roof SET value = 1e9 WHERE name = 'copy'");
  const std::vector<model::RoofReading> roofs = Store(path_).roofs(testing::gpu());
  ASSERT_THAT(roofs, SizeIs(1));
  EXPECT_EQ(roofs[0].name, "read");
}

TEST_F(ChecksumsTest, RowsOfAnEarlierSchemaGetChecksumsWhenItIsMigrated) {
  { storage::open_for_writing(path_, storage::migrations().first(5)); }
  damage(R"sql(
    INSERT INTO kernel VALUES(7, 'k', 'hash');
    INSERT INTO subject VALUES(3, 7, '{"N":1}', '{"N":1}', 'key', 'cold');
    INSERT INTO gpu SELECT 1, 'key', 'a GPU', 9, 0, 1, 1, 1, 1, 1, 0, 0, ')sql" +
         recordings::compact(recordings::to_json(model::fictional_gpu())) + R"sql(';
    INSERT INTO session VALUES(5, 3, 1, '', 0, 0, 0, 0, '', 0, 0, 0, 0, 'random', 1, '', 'time', 0, 0, 0, 0, '{}', '{}',
      NULL, NULL, NULL, NULL, NULL, 'fp32', 0);
    INSERT INTO configuration VALUES(1, 3, '{"A":1}', '{"A":1}');
    INSERT INTO measurement VALUES(1, 5, 1, 'measured', '', 5.0, 4.0, 6.0, x'', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL);
    INSERT INTO metric VALUES(1, 'a');
    INSERT INTO counter VALUES(1, 1, 2.5);)sql");
  {
    const Store store(path_);
    // The columns of the GPU above are invented.
    EXPECT_THAT(problems(), ::testing::ElementsAre("gpu 1 its columns differ from its description"));
    ASSERT_THAT(store.winners("k", ""), SizeIs(1));
    EXPECT_EQ(store.winners("k", "")[0].best.counters.at("a"), 2.5);
  }
  damage("UPDATE measurement SET median_ns = 4.5");
  EXPECT_THAT(Store(path_).winners("k", ""), IsEmpty());
  damage("UPDATE counter SET value = 3");
  damage("UPDATE session SET seed = 2");
  EXPECT_THAT(problems(), SizeIs(3));  // The GPU as before, and the first problem of each changed row.
}

// Undoes versions 10, 9 and 8 of the schema.
const std::string kToSeventhSchema = std::string(testing::kUndoReplays) + R"sql(
    DROP VIEW latest_measurement; DROP VIEW problem_entry; DROP INDEX session_by_workload;
    ALTER TABLE workload RENAME TO subject;
    ALTER TABLE session RENAME COLUMN workload_id TO subject_id;
    ALTER TABLE configuration RENAME COLUMN workload_id TO subject_id;
    ALTER TABLE measurement RENAME COLUMN checksum TO seal;
    ALTER TABLE measurement RENAME COLUMN counter_checksum TO counter_seal;
    ALTER TABLE session RENAME COLUMN checksum TO seal;
    ALTER TABLE roof RENAME COLUMN checksum TO seal;
    CREATE INDEX session_by_subject ON session(subject_id);
    CREATE VIEW problem_entry AS SELECT id AS subject_id FROM subject;
    CREATE VIEW latest_measurement AS SELECT subject_id FROM configuration;
    CREATE VIEW winner AS SELECT subject_id FROM configuration;
    UPDATE gpu SET name = name;  -- A change that is counted.
    PRAGMA user_version = 7;)sql";

TEST_F(RowsWithChecksums, OfTheSeventhSchemaKeepThem) {
  const std::string winner = best();
  damage(kToSeventhSchema);
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_EQ(best(), winner);
  EXPECT_EQ(storage::Database(path_, storage::OpenMode::kReadOnly).integer("PRAGMA user_version"), 14);
  damage("UPDATE measurement SET median_ns = 0.5");
  EXPECT_NE(best(), winner);
}

TEST_F(RowsWithChecksums, ADamagedStateOfASearchIsNotUsed) {
  const auto state = [&] {
    const Session session = testing::session();
    return Store::open_existing(path_).search_state(session.workload, session.strategy, session.seed,
                                                    session.objective);
  };
  { Store(path_).set_search_state(session_, "a search"); }
  EXPECT_EQ(state()->text, "a search");
  damage("UPDATE session SET search_state = 'another'");
  EXPECT_FALSE(state().has_value());
}

// An earlier warptune without checksums may have had the file open during the migration.
TEST_F(RowsWithChecksums, ARowWithoutAChecksumCounts) {
  damage(
      "UPDATE measurement SET checksum = NULL, counter_checksum = NULL; UPDATE session SET checksum = NULL");
  EXPECT_EQ(best(), "64");
}

// The content of every row.
std::map<std::int64_t, std::string> rows_of(const Store& store) {
  std::map<std::int64_t, std::string> rows;
  for (const Session& session : store.sessions()) {
    for (const StoredMeasurement& row : store.session_measurements(session.id)) {
      const model::Measurement& m = row.measurement;
      std::string text = model::to_text(m.configuration) + " of " + model::to_text(session.workload.problem) +
                         " on " + session.workload.gpu.name + " " + std::string(model::to_string(m.status)) +
                         m.reason + std::to_string(model::median_ns_of(m).value_or(0.0)) + " " +
                         std::to_string(m.resources.registers_per_thread);
      for (const double sample : m.samples_ns) text += " " + std::to_string(sample);
      rows[row.id] = text;
    }
  }
  return rows;
}

// Flips bits in the pages that have rows. Each damaged copy is refused, or its rows are those that were
// written. Rows may be missing, but no row may be different.
TEST_F(ChecksumsTest, NoRowOfADamagedCopyReadsDifferently) {
  {
    Store store(path_);
    const std::int64_t id = store.begin_session(testing::session());
    for (int i = 1; i <= 60; ++i)
      store.add_measurement(id, testing::measured(testing::configuration(i), 100.0 + i));
  }
  const std::map<std::int64_t, std::string> whole = rows_of(Store::open_existing(path_));
  ASSERT_THAT(whole, SizeIs(60));
  const std::string bytes = testing::slurp(path_);
  base::Random random(7);
  int readable = 0;
  for (int copy = 0; copy < 300; ++copy) {
    std::string damaged = bytes;
    for (int i = 0; i < 8; ++i) {
      const std::size_t at = 4096 + random.below(damaged.size() - 4096);
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    }
    for (const char* ending : {"-wal", "-shm"}) fs::remove(path_.string() + ending);
    testing::spill(path_, damaged);
    try {
      const Store store = Store::open_existing(path_);
      for (const auto& [id, text] : rows_of(store)) {
        const auto original = whole.find(id);
        ASSERT_TRUE(original != whole.end()) << "copy " << copy;
        EXPECT_EQ(text, original->second) << "copy " << copy;
      }
      ++readable;
    } catch (const base::Error&) {  // Refused.
    }
  }
  EXPECT_GT(readable, 100);
}

}  // namespace
}  // namespace warptune::db::storage
