// Since schema version 7, triggers store the newest measurement of each configuration and the number of rows
// of each workload. Whatever happens to rows, the stored values must equal those computed from all rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "db/storage/schema.h"
#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using testing::configuration;
using testing::failed;
using testing::measured;

// The winner's id, computed from all rows as the view `winner` did before version 7.
std::int64_t winner_of_all_rows(storage::Database& database) {
  storage::Statement found = database.prepare(R"sql(
    WITH latest AS (SELECT max(id) AS id FROM measurement GROUP BY configuration_id),
         timed AS (SELECT measurement.id AS id, median_ns, preferred FROM latest JOIN measurement USING(id)
                   WHERE status = 'measured' AND median_ns IS NOT NULL)
    SELECT id FROM timed ORDER BY preferred IS NOT NULL AND preferred <> 0 AND
      median_ns <= 1.01 * (SELECT min(median_ns) FROM timed) DESC, median_ns, id LIMIT 1)sql");
  return found.step() ? found.integer() : 0;
}

class KeptWinnersTest : public ::testing::Test {
 protected:
  void expect_as_all_rows_say(const std::string& after) {
    storage::Database database = storage::open_for_writing(path_);
    const auto kept = [&](const char* sql) {
      storage::Statement found = database.prepare(sql);
      return found.step() ? found.integer() : 0;
    };
    EXPECT_EQ(kept("SELECT measurement_id FROM winner"), winner_of_all_rows(database)) << after;
    EXPECT_EQ(
        kept("SELECT measured FROM workload"),
        kept("SELECT count(*) FROM measurement WHERE status = 'measured' AND median_ns IS NOT NULL AND id"
             " IN (SELECT max(id) FROM measurement GROUP BY configuration_id)"))
        << after;
    EXPECT_EQ(kept("SELECT evaluated FROM workload"), kept("SELECT count(*) FROM measurement")) << after;
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "w.db";
};

TEST_F(KeptWinnersTest, AreThoseOfAllRowsWhateverHappensToRows) {
  Store store(path_);
  const std::int64_t session = store.begin_session(testing::session());
  base::Random random(1);
  std::vector<std::int64_t> ids;
  for (int event = 0; event < 400; ++event) {
    const std::int64_t block = static_cast<std::int64_t>(random.below(12)) + 1;
    // Only a few different times, so that many are equal or within 1 % of each other.
    const double time_ns = 100.0 + 0.25 * static_cast<double>(random.below(12));
    const std::uint64_t kind = ids.empty() ? 0 : random.below(8);
    const std::int64_t row = ids.empty() ? 0 : ids[random.below(ids.size())];
    std::string what = "added";
    if (kind < 3) {
      ids.push_back(
          store.add_measurement(session, testing::measured(testing::configuration(block), time_ns)));
    } else if (kind == 3) {
      model::Measurement dropped = testing::measured(testing::configuration(block), time_ns);
      dropped.status = model::Status::kDropped;
      ids.push_back(store.add_measurement(session, dropped));
      what = "dropped";
    } else if (kind == 4) {
      ids.push_back(store.add_measurement(
          session, testing::failed(testing::configuration(block), model::Status::kCompileFailed, "why")));
      what = "failed";
    } else if (kind == 5) {
      store.set_time(row, {time_ns, time_ns - 1, time_ns + 1}, {time_ns});
      what = "timed again";
    } else if (kind == 6) {
      store.set_preferred(row);
      what = "preferred";
    } else {
      store.reject(row, {model::Status::kWrongResult, "differs"});
      what = "rejected";
    }
    expect_as_all_rows_say(std::to_string(event) + ": " + what);
    if (HasFailure()) return;
  }
  storage::Database database = storage::open_for_writing(path_);
  database.execute("PRAGMA foreign_keys = OFF; DELETE FROM measurement WHERE id % 3 = 0");
  expect_as_all_rows_say("removed");
  database.execute(
      "DELETE FROM configuration WHERE id % 2 = 0; DELETE FROM measurement WHERE configuration_id"
      " NOT IN (SELECT id FROM configuration)");
  storage::Statement counted = database.prepare(
      "SELECT measured, (SELECT count(*) FROM configuration WHERE latest_ns IS NOT NULL) FROM workload");
  ASSERT_TRUE(counted.step());
  const std::int64_t kept = counted.integer();
  EXPECT_EQ(kept, counted.integer());
}

TEST_F(KeptWinnersTest, OfAnOlderSchemaAreMadeWhenItIsMigrated) {
  {
    storage::Database database = storage::open_for_writing(path_, storage::migrations().first(5));
    database.execute(R"sql(
      INSERT INTO kernel VALUES(1, 'k', 'hash');
      INSERT INTO subject VALUES(1, 1, '{}', '{}', 'key', 'cold');
      INSERT INTO gpu VALUES(1, 'key', 'a GPU', 9, 0, 1, 1, 1, 1, 1, 0, 0, '{}');
      INSERT INTO session(id, subject_id, gpu_id, warptune_version, driver_version, nvrtc_version, sm_clock_mhz,
        memory_clock_mhz, throttle_reasons, strategy, seed, budget, objective, replayed, started_ms, finished_ms,
        space_size, default_configuration, default_key)
        VALUES(1, 1, 1, '', 0, 0, 0, 0, '', 'random', 1, '', 'time', 0, 0, 0, 0, '{}', '{}');
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
        INSERT INTO configuration(id, subject_id, key, body) SELECT i, 1, i, '{}' FROM n;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO measurement(id, session_id, configuration_id, status, reason, median_ns, samples,
          registers_per_thread, static_shared_bytes, dynamic_shared_bytes, local_bytes, threads_per_block, blocks,
          blocks_per_sm, time_stamp_ms, preferred)
        SELECT i, 1, i % 40 + 1, iif(i % 7 = 0, 'dropped', 'measured'), '', iif(i % 11 = 0, NULL, 100 + i * 13 % 50),
          x'', 0, 0, 0, 0, 0, 0, 0, 0, iif(i % 17 = 0, 1, NULL) FROM n;)sql");
  }
  expect_as_all_rows_say("migrated");
}

TEST_F(KeptWinnersTest, ALargeWorkloadIsSampledTheSameWayEachTimeWithItsFastestAndItsPreferred) {
  Store store(path_);
  const std::int64_t session = store.begin_session(testing::session());
  std::vector<std::int64_t> ids;
  for (int i = 1; i <= 2000; ++i)
    ids.push_back(
        store.add_measurement(session, testing::measured(testing::configuration(i), 1000.0 + i * 7 % 1999)));
  store.set_preferred(ids[1234]);
  const MeasurementSample sample = store.sampled_measurements(testing::workload(), 200);
  EXPECT_EQ(sample.known, 2000U);
  EXPECT_FALSE(sample.is_whole());
  EXPECT_GT(sample.rows.size(), 120U);
  EXPECT_LT(sample.rows.size(), 280U);
  const auto has = [&](const auto& wanted) {
    return std::any_of(sample.rows.begin(), sample.rows.end(), wanted);
  };
  EXPECT_TRUE(has([&](const StoredMeasurement& row) { return row.id == ids[1234]; }));
  for (int rank = 0; rank < 19; ++rank)
    EXPECT_TRUE(has([&](const auto& row) { return row.measurement.time->median_ns == 1000.0 + rank; }))
        << rank;
  // The even share has as many rows from the first half as from the second.
  const auto early = std::count_if(sample.rows.begin(), sample.rows.end(),
                                   [&](const auto& row) { return row.id <= ids[999]; });
  EXPECT_NEAR(static_cast<double>(early) / static_cast<double>(sample.rows.size()), 0.5, 0.15);
  const MeasurementSample again = store.sampled_measurements(testing::workload(), 200);
  EXPECT_TRUE(std::equal(sample.rows.begin(), sample.rows.end(), again.rows.begin(), again.rows.end(),
                         [](const auto& a, const auto& b) { return a.id == b.id; }));
  const MeasurementSample whole = store.sampled_measurements(testing::workload(), 2000);
  EXPECT_TRUE(whole.is_whole());
  EXPECT_EQ(whole.rows.size(), 2000U);
}

TEST_F(KeptWinnersTest, TheNewestMeasurementOfOneConfigurationIsFound) {
  Store store(path_);
  const std::int64_t session = store.begin_session(testing::session());
  store.add_measurement(session, testing::measured(testing::configuration(1), 20.0));
  store.add_measurement(session, testing::measured(testing::configuration(2), 30.0));
  const std::int64_t newest =
      store.add_measurement(session, testing::measured(testing::configuration(1), 25.0));
  const auto found = store.latest_measurement(testing::workload(), testing::configuration(1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, newest);
  EXPECT_FALSE(store.latest_measurement(testing::workload(), testing::configuration(3)));
}

}  // namespace
}  // namespace warptune::db
