// No query and no write of a row may scan a table that grows with the rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <set>
#include <string>

#include "db/codes/workload_codes.h"
#include "db/pruning.h"
#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using testing::configuration;
using testing::measured;

// Records the statements that run on any connection while an object exists, each once.
class StatementRecorder {
 public:
  StatementRecorder() {
    statements().clear();
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(&watch));
  }
  StatementRecorder(const StatementRecorder&) = delete;
  StatementRecorder& operator=(const StatementRecorder&) = delete;
  ~StatementRecorder() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&watch)); }

  static std::set<std::string>& statements() {
    static std::set<std::string> all;
    return all;
  }

 private:
  static int watch(sqlite3* connection, char** /*error*/, const void* /*api*/) {
    const auto note = [](unsigned /*type*/, void* /*context*/, void* statement, void* /*text*/) {
      statements().insert(sqlite3_sql(static_cast<sqlite3_stmt*>(statement)));
      return 0;
    };
    return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT, note, nullptr);
  }
};

// Calls every function of `Store`.
void use_everything(const std::filesystem::path& path) {
  Store store(path);
  const std::int64_t id = store.begin_session(testing::session());
  const model::Workload workload = testing::workload();
  model::Measurement row = testing::measured(testing::configuration(1), 10.0);
  row.counters = {{"a.sum", 1.0}};
  const std::int64_t first = store.add_measurement(id, row);
  store.add_measurement(id, testing::measured(testing::configuration(2), 20.0));
  store.set_session_roofs(id, {});
  store.set_counters(first, {{"b.sum", 2.0}});
  store.add_counters(first, {{"c.sum", 3.0}});
  store.set_time(first, {10.0, 9.0, 11.0}, {10.0});
  store.set_preferred(first);
  store.set_search_state(id, "state");
  store.search_state(workload, "random", 1, "time");
  store.set_roofs(workload.gpu, {{}});
  store.roofs(workload.gpu);
  store.finish_session(id, 5);
  store.measurements(workload);
  store.uncounted_measurements(workload);
  store.sampled_measurements(workload, 1);
  store.latest_measurement(workload, testing::configuration(1));
  store.configuration_keys(workload);
  store.counters(first);
  store.gpus();
  store.sessions();
  store.sessions(workload);
  store.noted_sessions(workload, "cover ");
  store.newest_measured_session(workload.gpu.key());
  store.session(id);
  store.session_measurements(id);
  store.session_measurements(id, model::Status::kImplausible);
  store.fastest_of_session(id, 1);
  store.outcome_counts(id);
  const auto ranked = store.ranked_ids(workload, model::Objective::parse("time * b.sum / registers"));
  if (!ranked.empty()) store.ranked_row(ranked.front(), model::Objective());
  store.winners(workload.kernel, "");
  store.winners(workload.kernel, workload.kernel_hash);
  store.winners(workload.kernel, workload.kernel_hash, model::Objective::parse("a.sum"));
  store.totals();
  store.reject(first, {model::Status::kWrongResult, "differs"});
  // A kernel with another name and the same hash.
  Session twin = testing::session();
  twin.workload.kernel = "twin";
  store.add_measurement(store.begin_session(twin), testing::measured(testing::configuration(1), 10.0));
  store.measurements(workload);
  store.objective_values(workload, model::Objective::parse("time * b.sum / registers"));
  // One of them also has rows of the present version.
  Session present = testing::session();
  present.workload.kernel_hash = "present";
  store.add_measurement(store.begin_session(present), measured(configuration(1), 10.0));
  store.kernel_hashes();
  codes::WorkloadCodes codes(store);
  codes.set(workload, {"form", 13000, "", {{configuration(1), "digest"}}});
  codes.find(workload);
  codes.knows_other_versions(workload.kernel, "present");
  const model::Renaming renaming{
      workload.kernel, workload.kernel_hash, "present", {}, model::Expression::parse("true")};
  EXPECT_TRUE(store.has_rows_to_carry({renaming}));
  EXPECT_GT(store.carry_over({renaming}), 0U);
  EXPECT_TRUE(codes.carry_over(present.workload, "later").has_value());
  PruneRequest slow;
  slow.beyond = 1;
  store.prune(slow);
}

// The lines of a statement's query plan, including the triggers that it fires.
std::vector<std::string> plan_of(sqlite3* connection, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  std::vector<std::string> lines;
  if (sqlite3_prepare_v2(connection, ("EXPLAIN QUERY PLAN " + sql).c_str(), -1, &statement, nullptr) !=
      SQLITE_OK)
    return {"cannot be prepared: " + std::string(sqlite3_errmsg(connection))};
  while (sqlite3_step(statement) == SQLITE_ROW)
    lines.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, 3)));
  sqlite3_finalize(statement);
  return lines;
}

bool has_plan(const std::string& sql) {
  for (const char* word : {"SELECT", "INSERT", "UPDATE", "DELETE"})
    if (sql.find_first_not_of(" \n") != std::string::npos &&
        sql.compare(sql.find_first_not_of(" \n"), 6, word) == 0)
      return true;
  return false;
}

bool scans_rows(const std::string& line) {
  for (const char* table : {"measurement", "configuration", "counter"})
    if (line.starts_with(std::string("SCAN ") + table)) return true;
  // Only statements that list or count all sessions or workloads may scan their tables.
  return false;
}

TEST(QueryPlans, LeaveNoFullScanOfATableThatGrowsWithTheRows) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder / "w.db";
  { const Store made(path); }  // The statements of the schema scan everything once.
  {
    const StatementRecorder recorder;
    use_everything(path);
  }
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  ASSERT_EQ(sqlite3_db_config(connection, SQLITE_DBCONFIG_TRIGGER_EQP, 1, nullptr), SQLITE_OK);
  for (const std::string& sql : StatementRecorder::statements()) {
    if (!sql.starts_with("CREATE TEMP TABLE")) continue;
    ASSERT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  }
  int planned = 0;
  int searches_by_trigger = 0;
  std::set<std::string> scanning;
  for (const std::string& sql : StatementRecorder::statements()) {
    if (!has_plan(sql)) continue;
    ++planned;
    for (const std::string& line : plan_of(connection, sql)) {
      EXPECT_FALSE(line.starts_with("cannot")) << line << "\n" << sql;
      EXPECT_FALSE(scans_rows(line)) << line << "\n" << sql;
      if (line.starts_with("SCAN session") || line.starts_with("SCAN workload"))
        scanning.insert(sql.substr(0, 40));
      if (sql.starts_with("INSERT INTO measurement") && line.starts_with("SEARCH configuration"))
        ++searches_by_trigger;
    }
  }
  sqlite3_close(connection);
  EXPECT_GT(planned, 40);
  EXPECT_GT(searches_by_trigger, 0);  // The plans include the triggers.
  // `sessions`, `totals`, and two of `prune`: the winners, and the running sessions.
  EXPECT_LE(scanning.size(), 4U) << ::testing::PrintToString(scanning);
}

TEST(QueryPlans, OfAnIndexThatIsMissingWouldBeSeen) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder / "w.db";
  { const Store made(path); }
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  const std::vector<std::string> plan = plan_of(connection, "SELECT * FROM measurement WHERE median_ns > 1");
  sqlite3_close(connection);
  ASSERT_FALSE(plan.empty());
  EXPECT_TRUE(scans_rows(plan.front())) << plan.front();
}

}  // namespace
}  // namespace warptune::db
