// `db verify` finds every damage that changes what a database answers.
#include "db/storage/damage.h"

#include <gmock/gmock.h>

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "db/codes/workload_codes.h"
#include "db/storage/sqlite.h"
#include "db/store.h"
#include "tests/db/storage/changed_file.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Outcomes {
  int refused = 0, found = 0, same = 0;
};

class DamageTest : public ChangedFileTest {
 protected:
  void judge(const std::string& answers, const std::string& what, Outcomes& outcomes) const;
  /// The same for other bytes of the file.
  void judge(const std::string& bytes, const std::string& answers, const std::string& what,
             Outcomes& outcomes) const;

  // Two GPUs, three workloads, failed, preferred and replayed rows, counters and roofs.
  DamageTest() {
    Store store(path_);
    const model::GpuDescription other = testing::gpu(8, 0, 108, "NVIDIA A100");
    const model::NamedValues small = {{"N", std::int64_t{64}}, {"dtype", std::string("f32")}};
    for (const model::Workload& workload :
         {testing::workload(), testing::workload(small), testing::workload(small, other)}) {
      Session begun = testing::session(workload);
      begun.environment.driver_release = "580.65.06";
      const std::int64_t session = store.begin_session(begun);
      std::int64_t preferred = 0;
      for (int i = 1; i <= 20; ++i) {
        model::Measurement row = testing::measured(testing::configuration(i * 8), 100.0 + i / 8.0);
        if (i % 7 == 0) row.source = i == 7 ? model::RowSource::kReplayed : model::RowSource::kImported;
        preferred = store.add_measurement(session, row);
      }
      store.set_preferred(preferred - 15);
      store.add_measurement(session, testing::failed(testing::configuration(5), model::Status::kCompileFailed,
                                                     "no such intrinsic"));
      store.set_session_roofs(session, {4e12, 6e13});
      store.set_search_state(session, "a search");
      codes::WorkloadCodes(store).set(workload, {"f0", 13000, "d0", {{testing::configuration(8), "d1"}}});
      store.finish_session(session, 1700000001000);
    }
    store.set_roofs(testing::gpu(), {{"copy", 4e12, 0.01, 1980.0, 5, 6}, {"read", 5e12, 0.02, 1980.0, 5, 6}});
  }
};

std::string text_of(const model::Measurement& m) {
  std::string text = model::to_text(m.configuration) + " " + std::string(model::to_string(m.status)) +
                     m.reason + " " + std::string(model::to_string(m.source));
  for (const std::optional<double>& number :
       {model::median_ns_of(m), model::low_ns_of(m), model::high_ns_of(m)}) {
    text += " " + (number ? std::to_string(*number) : "-");
  }
  for (const double sample : m.samples_ns) text += " " + std::to_string(sample);
  for (const auto& [name, value] : m.counters) text += " " + name + "=" + std::to_string(value);
  return text + " " + std::to_string(m.resources.registers_per_thread);
}

// What users are told: GPUs, sessions, rows, winners, roofs and totals.
std::string answers_of(const Store& store) {
  std::string text;
  for (const model::GpuDescription& gpu : store.gpus()) {
    text += gpu.name + gpu.key() + "\n";
    for (const model::RoofReading& roof : store.roofs(gpu))
      text += roof.name + std::to_string(roof.value) + "\n";
  }
  for (const Session& session : store.sessions()) {
    text += std::to_string(session.id) + model::to_text(session.workload.problem) + session.strategy +
            session.objective + std::to_string(session.finished_ms) + session.workload.gpu.name + "\n";
    for (const StoredMeasurement& row : store.session_measurements(session.id))
      text += std::to_string(row.id) + " " + std::to_string(row.preferred) + text_of(row.measurement) + "\n";
    for (const StoredMeasurement& row : store.measurements(session.workload))
      text += "latest " + std::to_string(row.id) + "\n";
    for (const OutcomeCount& outcome : store.outcome_counts(session.id))
      text += outcome.reason + std::to_string(outcome.rows) + "\n";
  }
  for (const Winner& winner : store.winners("vector-add", "")) {
    text += "winner " + model::to_text(winner.workload.problem) + text_of(winner.best) +
            std::to_string(winner.measured) + "/" + std::to_string(winner.evaluated) +
            (winner.default_measurement ? text_of(*winner.default_measurement) : "") + "\n";
  }
  const Totals totals = store.totals();
  return text + std::to_string(totals.kernels + totals.gpus + totals.workloads) + " " +
         std::to_string(totals.sessions) + " " + std::to_string(totals.measurements);
}

TEST_F(DamageTest, ThereIsNoneInADatabaseThatWasOnlyWritten) { EXPECT_THAT(problems(), IsEmpty()); }

TEST_F(DamageTest, EachChangeThatNoChecksumCoversIsFound) {
  const std::string whole = testing::slurp(path_);
  const std::vector<std::pair<const char*, const char*>> changes = {
      {"UPDATE configuration SET latest_ns = 1.0 WHERE id = 2", "latest measurement"},
      {"UPDATE configuration SET latest_id = 3 WHERE id = 2", "latest measurement"},
      {"UPDATE configuration SET latest_clock = 3 WHERE id = 2", "latest measurement"},
      {"UPDATE configuration SET latest_preferred = 1 WHERE id = 2", "latest measurement"},
      {"UPDATE workload SET evaluated = 1 WHERE id = 2", "workload 2 its numbers"},
      {"UPDATE workload SET measured = 1 WHERE id = 2", "workload 2 its numbers"},
      {"UPDATE measurement SET preferred = 1 WHERE id = 1",
       "measurement 1 its mark as preferred contradicts"},
      {"UPDATE measurement SET preferred = NULL WHERE preferred = 1 AND id < 22", "measurement 5 its mark"},
      {"UPDATE measurement SET preferred = 0 WHERE preferred = 1 AND id < 22", "measurement 5 its mark"},
      {"UPDATE measurement SET chosen = 9 WHERE id = 2", "measurement 2 its mark as preferred"},
      {"UPDATE session SET search_state = search_state || ' ' WHERE id = 1",
       "session 1 the state of its search"},
      {"UPDATE session SET workload_id = 2 WHERE id = 1", "measurement 1 its session and its configuration"},
      {"UPDATE configuration SET key = '{}' WHERE id = 2", "configuration 2 its key differs"},
      {"UPDATE gpu SET name = 'another' WHERE id = 1", "gpu 1 its columns differ"},
      {"UPDATE gpu SET sm_count = sm_count + 1 WHERE id = 1", "gpu 1 its columns differ"},
      {"UPDATE session SET default_key = '{}' WHERE id = 1", "session 1 the key of its default"},
      {"UPDATE roof SET value = 1 WHERE name = 'copy'", "roof 0 copy of GPU"},
      {"UPDATE roof SET checksum = NULL WHERE name = 'read'", "roof 0 read of GPU"},
      {"UPDATE measurement SET checksum = NULL WHERE id = 1", "measurement 1 has no checksum"},
      {"UPDATE session SET checksum = NULL WHERE id = 1", "session 1 has no checksum"},
      {"DELETE FROM session WHERE id = 3", "measurement 43 names a row of the table session"},
      {"DELETE FROM kernel", "names a row of the table kernel"},
      {"DROP TRIGGER configuration_timed", "the schema differs"},
      {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, '1.01', '1.91')"
       " WHERE name = 'winner'",
       "viewwinner"}};
  for (const auto& [change, problem] : changes) {
    run_sql(change);
    EXPECT_THAT(problems(), Contains(HasSubstr(problem))) << change;
    for (const char* ending : {"-wal", "-shm"}) fs::remove(path_.string() + ending);
    testing::spill(path_, whole);
  }
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(DamageTest, TablesAndIndicesOfTheUserAreNoDamage) {
  run_sql("CREATE TABLE notes(text); CREATE INDEX mine ON measurement(reason); ANALYZE");
  EXPECT_THAT(problems(), IsEmpty());
}

// What a copy of the file answers, compared with the whole file: refused, found by `db verify`, or the same.
void DamageTest::judge(const std::string& bytes, const std::string& answers, const std::string& what,
                       Outcomes& outcomes) const {
  for (const char* ending : {"-wal", "-shm"}) fs::remove(path_.string() + ending);
  testing::spill(path_, bytes);
  judge(answers, what, outcomes);
}

void DamageTest::judge(const std::string& answers, const std::string& what, Outcomes& outcomes) const {
  try {
    const Store store = Store::open_existing(path_);
    const std::string found = answers_of(store);
    if (!store.damage().empty()) {
      ++outcomes.found;
    } else {
      EXPECT_EQ(found, answers) << what;
      ++outcomes.same;
    }
  } catch (const base::Error&) {
    ++outcomes.refused;
  }
}

// Changes one to eight bytes of each copy. The whole file is damaged, its header and schema included.
TEST_F(DamageTest, NoDamagedCopyAnswersDifferentlyUnlessVerifyingSaysSo) {
  run_sql("PRAGMA wal_checkpoint(TRUNCATE)");
  const std::string answers = answers_of(Store::open_existing(path_));
  const std::string bytes = testing::slurp(path_);
  base::Random random(24);
  Outcomes outcomes;
  for (int copy = 0; copy < 180; ++copy) {
    std::string damaged = bytes;
    const std::uint64_t changes = 1 + random.below(8);
    for (std::uint64_t i = 0; i < changes; ++i) {
      char& byte = damaged[random.below(damaged.size())];
      const auto mask = copy % 2 == 0 ? 1U << random.below(8) : 1U + random.below(255);
      byte = static_cast<char>(static_cast<unsigned char>(byte) ^ mask);
    }
    judge(damaged, answers, "copy " + std::to_string(copy), outcomes);
  }
  RecordProperty("refused", outcomes.refused);
  RecordProperty("found", outcomes.found);
  RecordProperty("same", outcomes.same);
  EXPECT_GT(outcomes.found, 30);
  EXPECT_GT(outcomes.refused, 10);
}

// Pages that a bad copy has lost, doubled or exchanged.
TEST_F(DamageTest, NoCopyWithOtherPagesAnswersDifferentlyUnlessVerifyingSaysSo) {
  run_sql("PRAGMA wal_checkpoint(TRUNCATE)");
  const std::string answers = answers_of(Store::open_existing(path_));
  const std::string bytes = testing::slurp(path_);
  constexpr std::size_t kPage = 4096;
  const std::size_t pages = bytes.size() / kPage;
  base::Random random(25);
  Outcomes outcomes;
  for (int copy = 0; copy < 120; ++copy) {
    std::string damaged = bytes;
    const std::size_t one = kPage * random.below(pages);
    const std::size_t other = kPage * random.below(pages);
    if (copy % 4 == 0) {
      damaged.resize(kPage * (1 + random.below(pages)));
    } else if (copy % 4 == 1) {
      damaged.replace(one, kPage, std::string(kPage, '\0'));
    } else {
      damaged.replace(one, kPage, bytes, other, kPage);
      if (copy % 4 == 2) damaged.replace(other, kPage, bytes, one, kPage);
    }
    judge(damaged, answers, "copy " + std::to_string(copy), outcomes);
  }
  EXPECT_GT(outcomes.refused + outcomes.found, 80);
}

// Changes one value of each column of each table as a program could. SQLite then sees no damage.
TEST_F(DamageTest, NoChangedValueAnswersDifferentlyUnlessVerifyingSaysSo) {
  run_sql("PRAGMA wal_checkpoint(TRUNCATE)");
  const std::string answers = answers_of(Store::open_existing(path_));
  const std::string bytes = testing::slurp(path_);
  std::vector<std::pair<std::string, std::string>> columns;
  {
    Database database(path_, OpenMode::kReadOnly);
    Statement found = database.prepare(
        "SELECT tables.name, columns.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS "
        "columns"
        " WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' AND tables.name <> 'deletion'");
    while (found.step()) {
      const std::string table = found.text();
      columns.emplace_back(table, found.text());
    }
  }
  Outcomes outcomes;
  for (const auto& [table, column] : columns) {
    for (const char* value : {"iif(typeof(C) IN ('integer', 'real'), C + 1, C || 'x')", "NULL",
                              "(SELECT max(C) FROM T)", "iif(typeof(C) = 'blob', x'00', '1')"}) {
      std::string change = "UPDATE OR IGNORE T SET C = " + std::string(value) +
                           " WHERE C IS (SELECT C FROM T LIMIT 1 OFFSET (SELECT count(*) / 2 FROM T))";
      for (std::size_t at = 0; (at = change.find_first_of("TC", at)) != std::string::npos;) {
        const bool alone =
            !std::isalpha(static_cast<unsigned char>(change[at - 1])) &&
            (at + 1 == change.size() || !std::isalpha(static_cast<unsigned char>(change[at + 1])));
        const std::string& name = change[at] == 'T' ? table : column;
        if (alone) change.replace(at, 1, name);
        at += alone ? name.size() : 1;
      }
      for (const char* ending : {"-wal", "-shm"}) fs::remove(path_.string() + ending);
      testing::spill(path_, bytes);
      try {
        Database(path_, OpenMode::kReadWrite).execute(change.c_str());
      } catch (const base::Error&) {
        continue;  // The schema forbids this value.
      }
      judge(answers, change, outcomes);
    }
  }
  EXPECT_GT(outcomes.found + outcomes.refused, 100);
}

}  // namespace
}  // namespace warptune::db::storage
