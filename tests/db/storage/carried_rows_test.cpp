// Rows of earlier versions of kernels get their present names (docs/database.md, "Renamed kernels").
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>

#include "base/error.h"
#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage {
namespace {

using ::testing::IsEmpty;
using testing::measured;
using ::testing::SizeIs;

constexpr const char* kBefore = "00000000000000000000000000000001";
constexpr const char* kAfter = "00000000000000000000000000000002";

model::Renaming renaming(const char* identical = "dtype != 'f16'") {
  return {"sgemm",
          kBefore,
          kAfter,
          // One value's new name is another value's earlier name.
          {{"FINISH", "REDUCTION", {{"launch", "kernel"}, {"kernel", "atomic"}}}, {"N", "COLUMNS", {}}},
          model::Expression::parse(identical)};
}

model::NamedValues problem(const std::string& type = "f32", const char* columns = "N") {
  return {{columns, std::int64_t{4096}}, {"dtype", type}};
}

model::NamedValues configuration(std::int64_t tile, const std::string& finish, const char* name = "FINISH") {
  return {{"TILE", tile}, {name, finish}};
}

class CarriedRows : public ::testing::Test {
 protected:
  Session session(const char* hash, const model::NamedValues& problem) const {
    model::Workload workload = testing::workload(problem);
    workload.kernel = "sgemm";
    workload.kernel_hash = hash;
    Session session = testing::session(workload);
    const bool is_present = hash == std::string(kAfter);
    session.default_configuration =
        is_present ? configuration(8, "kernel", "REDUCTION") : configuration(8, "launch");
    session.finished_ms = 5;
    return session;
  }
  model::Workload present(const std::string& type = "f32") const {
    return session(kAfter, problem(type, "COLUMNS")).workload;
  }
  void execute(const char* sql) const {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "w.db").c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(connection);
  }
  std::int64_t changes_when_carried() {
    const std::int64_t before = data_version();
    store_.carry_over({renaming()});
    return data_version() - before;
  }
  // This number changes with every commit of another connection.
  std::int64_t data_version() const {
    if (watcher_ == nullptr) sqlite3_open((folder_ / "w.db").c_str(), &watcher_);
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(watcher_, "PRAGMA data_version", -1, &statement, nullptr);
    sqlite3_step(statement);
    const std::int64_t version = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return version;
  }
  ~CarriedRows() override { sqlite3_close(watcher_); }

  testing::TemporaryFolder folder_;
  Store store_{folder_ / "w.db"};
  mutable sqlite3* watcher_ = nullptr;
};

TEST_F(CarriedRows, ArePresentUnderTheNewNamesAndSound) {
  const std::int64_t id = store_.begin_session(session(kBefore, problem()));
  model::Measurement fast = measured(configuration(16, "launch"), 10.0);
  fast.counters = {{"a.sum", 1.0}};
  const std::int64_t row = store_.add_measurement(id, fast);
  store_.add_measurement(id, measured(configuration(8, "launch"), 30.0));
  store_.add_measurement(id, measured(configuration(16, "kernel"), 20.0));
  store_.set_search_state(id, "of the earlier names");
  ASSERT_TRUE(store_.has_rows_to_carry({renaming()}));

  EXPECT_EQ(store_.carry_over({renaming()}), 3U);

  const std::vector<Winner> winners = store_.winners("sgemm", kAfter);
  ASSERT_THAT(winners, SizeIs(1));
  EXPECT_EQ(winners[0].workload.problem, problem("f32", "COLUMNS"));
  EXPECT_EQ(winners[0].best.configuration, configuration(16, "kernel", "REDUCTION"));
  EXPECT_EQ(winners[0].measured, 3U);
  EXPECT_EQ(winners[0].evaluated, 3U);
  ASSERT_TRUE(winners[0].default_measurement.has_value());
  EXPECT_EQ(winners[0].default_measurement->time->median_ns, 30.0);
  EXPECT_EQ(store_.measurement(row)->measurement.counters, fast.counters);
  EXPECT_EQ(store_.latest_measurement(present(), configuration(16, "atomic", "REDUCTION"))
                ->measurement.time->median_ns,
            20.0);
  EXPECT_EQ(store_.session(id)->default_configuration, configuration(8, "kernel", "REDUCTION"));
  EXPECT_FALSE(store_.search_state(present(), "random", 1, "time").has_value());
  EXPECT_THAT(store_.winners("sgemm", kBefore), IsEmpty());
  EXPECT_THAT(store_.damage(), IsEmpty());
  EXPECT_EQ(Store(folder_ / "w.db").totals().workloads, 1U);
}

TEST_F(CarriedRows, AreCarriedOnce) {
  store_.add_measurement(store_.begin_session(session(kBefore, problem())),
                         measured(configuration(16, "launch"), 10.0));
  EXPECT_GT(changes_when_carried(), 0);
  EXPECT_FALSE(store_.has_rows_to_carry({renaming()}));
  EXPECT_EQ(store_.carry_over({renaming()}), 0U);
  EXPECT_EQ(changes_when_carried(), 0) << "nothing is written where there is nothing to carry";
  EXPECT_THAT(store_.kernel_hashes(), ::testing::ElementsAre(kAfter));
}

TEST_F(CarriedRows, JoinThoseOfTheNewVersion) {
  const std::int64_t earlier = store_.begin_session(session(kBefore, problem()));
  store_.set_preferred(store_.add_measurement(earlier, measured(configuration(16, "launch"), 10.0)));
  store_.add_measurement(earlier, measured(configuration(32, "launch"), 40.0));
  const std::int64_t later = store_.begin_session(session(kAfter, problem("f32", "COLUMNS")));
  const std::int64_t chosen =
      store_.add_measurement(later, measured(configuration(8, "kernel", "REDUCTION"), 10.05));
  store_.set_preferred(chosen);
  store_.add_measurement(later, measured(configuration(16, "kernel", "REDUCTION"), 10.01));

  EXPECT_EQ(store_.carry_over({renaming()}), 2U);

  const std::vector<Winner> winners = store_.winners("sgemm", kAfter);
  ASSERT_THAT(winners, SizeIs(1));
  EXPECT_EQ(winners[0].best.configuration, configuration(8, "kernel", "REDUCTION"))
      << "the choice of the new version's final rounds";
  EXPECT_EQ(winners[0].measured, 3U);
  EXPECT_EQ(winners[0].evaluated, 4U);
  EXPECT_EQ(store_.latest_measurement(present(), configuration(16, "kernel", "REDUCTION"))
                ->measurement.time->median_ns,
            10.01)
      << "the newest counts";
  EXPECT_THAT(store_.sessions(present()), SizeIs(2));
  EXPECT_THAT(store_.damage(), IsEmpty());
}

TEST_F(CarriedRows, AreThoseOfIdenticalCodeAlone) {
  const std::int64_t same = store_.begin_session(session(kBefore, problem("f32")));
  store_.add_measurement(same, measured(configuration(16, "launch"), 10.0));
  const std::int64_t other = store_.begin_session(session(kBefore, problem("f16")));
  const std::int64_t row = store_.add_measurement(other, measured(configuration(16, "launch"), 5.0));

  EXPECT_EQ(store_.carry_over({renaming()}), 1U);

  ASSERT_THAT(store_.winners("sgemm", kAfter), SizeIs(1));
  EXPECT_EQ(store_.winners("sgemm", kAfter)[0].workload.problem, problem("f32", "COLUMNS"));
  const std::vector<Winner> shown = store_.winners("sgemm", kBefore);
  ASSERT_THAT(shown, SizeIs(1));
  EXPECT_EQ(shown[0].workload.problem, problem("f16"));
  EXPECT_EQ(store_.measurement(row)->measurement.configuration, configuration(16, "launch"));
  EXPECT_FALSE(store_.has_rows_to_carry({renaming()}));
  model::Renaming changed = renaming();
  changed.identical.reset();
  EXPECT_FALSE(store_.has_rows_to_carry({changed}));
}

TEST_F(CarriedRows, ADamagedRowGetsNoNewChecksum) {
  const std::int64_t id = store_.begin_session(session(kBefore, problem()));
  store_.add_measurement(id, measured(configuration(16, "launch"), 10.0));
  const std::int64_t row = store_.add_measurement(id, measured(configuration(32, "launch"), 20.0));
  execute(("UPDATE measurement SET median_ns = 1 WHERE id = " + std::to_string(row)).c_str());

  EXPECT_EQ(store_.carry_over({renaming()}), 2U);

  EXPECT_THAT(store_.measurements(present()), SizeIs(1));
  EXPECT_THAT(store_.damage(), SizeIs(1));
}

TEST_F(CarriedRows, WaitForASessionThatMayBeRunning) {
  Session running = session(kBefore, problem());
  running.finished_ms = 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  running.started_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::int64_t id = store_.begin_session(running);
  store_.add_measurement(id, measured(configuration(16, "launch"), 10.0));
  EXPECT_FALSE(store_.has_rows_to_carry({renaming()}));
  EXPECT_EQ(store_.carry_over({renaming()}), 0U);
  store_.finish_session(id, running.started_ms + 1);
  EXPECT_EQ(store_.carry_over({renaming()}), 1U);
}

TEST_F(CarriedRows, AreAllCarriedOrNone) {
  store_.add_measurement(store_.begin_session(session(kBefore, problem("f32"))),
                         measured(configuration(16, "launch"), 10.0));
  store_.add_measurement(store_.begin_session(session(kBefore, problem("f64"))),
                         measured(configuration(16, "launch"), 10.0));
  execute(
      "CREATE TRIGGER stop BEFORE UPDATE ON configuration WHEN NEW.id = 2 BEGIN SELECT RAISE(ABORT, 'no'); "
      "END");
  EXPECT_ANY_THROW(store_.carry_over({renaming()}));
  execute("DROP TRIGGER stop");
  EXPECT_THAT(store_.winners("sgemm", kBefore), SizeIs(2)) << "both are where they were";
  EXPECT_THAT(store_.winners("sgemm", kAfter), IsEmpty());
  EXPECT_EQ(store_.carry_over({renaming()}), 2U);
  EXPECT_THAT(store_.winners("sgemm", kAfter), SizeIs(2));
}

TEST_F(CarriedRows, ADamagedConfigurationKeepsNoOtherFromBeingCarried) {
  const std::int64_t id = store_.begin_session(session(kBefore, problem()));
  store_.add_measurement(id, measured(configuration(16, "launch"), 10.0));
  store_.add_measurement(id, measured(configuration(32, "launch"), 20.0));
  execute("UPDATE configuration SET body = 'no JSON' WHERE id = 2");
  EXPECT_EQ(store_.carry_over({renaming()}), 2U);
  EXPECT_EQ(store_.latest_measurement(present(), configuration(16, "kernel", "REDUCTION"))
                ->measurement.time->median_ns,
            10.0);
  EXPECT_THAT(store_.damage(), ::testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace warptune::db::storage
