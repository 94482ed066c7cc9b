// Removes rows of the database.
//
// A temporary table gets the rows that the request selects, and for each whether it is protected and whether
// its session is running. The remaining rows are removed. What refers to nothing any more is removed with
// them: configurations, sessions, workloads, kernels and GPUs. Triggers keep the latest measurement of each
// configuration and the numbers of each workload.
#include "db/pruning.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/storage/intact_rows.h"
#include "db/storage/merging/merged_sessions.h"
#include "db/storage/running_sessions.h"
#include "db/storage/sqlite.h"
#include "db/store_connection.h"
#include "model/own_metrics.h"

namespace warptune::db {

namespace {

using storage::Database;
using storage::Statement;

// Rows that are selected. `?` stand for the kernels, the GPU and the time.
std::string selected_rows(const PruneRequest& request) {
  std::vector<std::string> conditions;
  if (!request.kernels.empty()) {
    conditions.push_back(fmt::format("kernel.name IN ({})",
                                     fmt::join(std::vector<std::string>(request.kernels.size(), "?"), ", ")));
  }
  if (request.gpu_key) conditions.emplace_back("workload.gpu_key = ?");
  // An imported row may have no time of its own. Then the time of the import counts.
  if (request.before_ms)
    conditions.emplace_back("iif(row.time_stamp_ms > 0, row.time_stamp_ms, session.started_ms) < ?");
  std::vector<std::string> kinds;
  if (request.failed) kinds.emplace_back("row.status NOT IN ('measured', 'dropped')");
  if (request.imported) kinds.emplace_back("row.replayed = 2");
  if (request.beyond) kinds.push_back(fmt::format("place.number > {}", *request.beyond));
  if (!kinds.empty()) conditions.push_back(fmt::format("({})", fmt::join(kinds, " OR ")));
  return fmt::format("{}", fmt::join(conditions, " AND "));
}

// The place of each configuration in its workload, by the time of its latest measurement.
constexpr const char* kPlaces =
    "(SELECT of_row.id AS configuration, row_number() OVER (PARTITION BY workload_id"
    "  ORDER BY latest.status = 'dropped', latest_replayed, latest.median_ns, key) AS number"
    " FROM configuration AS of_row JOIN measurement AS latest ON latest.id = latest_id"
    " WHERE latest.status IN ('measured', 'dropped')) AS place";

void select_rows(Database& database, const PruneRequest& request) {
  database.execute(
      "DROP TABLE IF EXISTS temp.pruned_row;"
      "CREATE TEMP TABLE pruned_row(id INTEGER PRIMARY KEY, session INTEGER NOT NULL, workload INTEGER NOT "
      "NULL,"
      " configuration INTEGER NOT NULL, is_protected INTEGER NOT NULL DEFAULT 0,"
      " in_use INTEGER NOT NULL DEFAULT 0)");
  const std::string places =
      request.beyond ? fmt::format(" LEFT JOIN {} ON place.configuration = row.configuration_id", kPlaces)
                     : "";
  const std::string conditions = selected_rows(request);
  Statement select = database.prepare(
      fmt::format("INSERT INTO temp.pruned_row(id, session, workload, configuration)"
                  " SELECT row.id, row.session_id, workload.id, row.configuration_id FROM measurement AS row"
                  " JOIN session ON session.id = row.session_id"
                  " JOIN configuration ON configuration.id = row.configuration_id"
                  " JOIN workload ON workload.id = configuration.workload_id"
                  " JOIN kernel ON kernel.id = workload.kernel_id{}{}{}",
                  places, conditions.empty() ? "" : " WHERE ", conditions));
  for (const std::string& kernel : request.kernels) select.bind(kernel);
  if (request.gpu_key) select.bind(*request.gpu_key);
  if (request.before_ms) select.bind(*request.before_ms);
  select.run();
}

// Marks the best row of each workload, its default's row, preferred rows and confirmed rows.
void mark_protected(Database& database) {
  database.execute(
      "UPDATE temp.pruned_row SET is_protected = 1 WHERE id IN (SELECT measurement_id FROM winner)"
      " OR (SELECT preferred FROM measurement WHERE id = pruned_row.id) = 1"
      " OR id IN (SELECT latest_id FROM winner CROSS JOIN measurement AS best ON best.id = measurement_id"
      "  CROSS JOIN session ON session.id = best.session_id"
      "  CROSS JOIN configuration ON configuration.workload_id = winner.workload_id AND key = default_key"
      "  AND latest_ns IS NOT NULL)");
  database
      .prepare(
          "UPDATE temp.pruned_row SET is_protected = 1 WHERE EXISTS (SELECT 1 FROM counter"
          " WHERE measurement_id = pruned_row.id AND metric_id = (SELECT id FROM metric WHERE name = ?))"
          " AND EXISTS (SELECT 1 FROM measurement"
          "  WHERE id = pruned_row.id AND replayed = 0 AND status = 'measured')")
      .bind(model::own_metric::kVerifiedLaunches)
      .run();
}

void mark_in_use(Database& database) {
  database
      .prepare(fmt::format(
          "UPDATE temp.pruned_row SET in_use = 1 WHERE session IN (SELECT id FROM session WHERE {})",
          storage::kMayBeRunning))
      .bind(storage::running_since_ms())
      .run();
}

std::uint64_t count_of(Database& database, const char* sql) {
  return static_cast<std::uint64_t>(database.integer(sql));
}

// Without the latest row of a configuration, an older one would count again, and might win although the
// latest one says that it is wrong. So the latest row stays as long as another one stays. Returns how many
// stay.
std::uint64_t keep_latest(Database& database) {
  database.execute(
      "DELETE FROM temp.pruned_row"
      " WHERE id = (SELECT latest_id FROM configuration WHERE id = pruned_row.configuration)"
      " AND EXISTS (SELECT 1 FROM measurement WHERE configuration_id = pruned_row.configuration"
      "  AND id NOT IN (SELECT id FROM temp.pruned_row))");
  return static_cast<std::uint64_t>(database.changes());
}

// Counts the rows by workload, and forgets those that stay.
PruneReport report_of(Database& database, bool protected_rows) {
  PruneReport report;
  report.in_use = count_of(database, "SELECT count(*) FROM temp.pruned_row WHERE in_use");
  if (!protected_rows) {
    report.kept =
        count_of(database, "SELECT count(*) FROM temp.pruned_row WHERE is_protected AND NOT in_use");
    database.execute("DELETE FROM temp.pruned_row WHERE is_protected");
  }
  database.execute("DELETE FROM temp.pruned_row WHERE in_use");
  report.kept += keep_latest(database);
  database.execute(
      "DROP TABLE IF EXISTS temp.pruned_session;"
      "CREATE TEMP TABLE pruned_session(id INTEGER PRIMARY KEY, is_whole INTEGER NOT NULL DEFAULT 0);"
      "INSERT INTO temp.pruned_session(id) SELECT session FROM temp.pruned_row AS pruned GROUP BY session"
      " HAVING count(*) = (SELECT count(*) FROM measurement WHERE session_id = pruned.session)");
  report.sessions = count_of(database, "SELECT count(*) FROM temp.pruned_session");
  Statement counts = database.prepare(
      "SELECT kernel.name, kernel.hash, problem, (SELECT name FROM gpu WHERE key = gpu_key ORDER BY id LIMIT "
      "1),"
      " cache_state, count(*), evaluated FROM temp.pruned_row JOIN workload ON workload.id = "
      "pruned_row.workload"
      " JOIN kernel ON kernel.id = kernel_id GROUP BY workload.id ORDER BY kernel.name, workload.id");
  while (counts.step()) {
    PrunedWorkload& workload = report.workloads.emplace_back();
    workload.kernel = counts.text();
    workload.kernel_hash = counts.text();
    workload.problem = counts.text();
    workload.gpu = counts.text();
    workload.cache_state = counts.text();
    workload.rows = counts.unsigned_integer();
    workload.left = counts.unsigned_integer() - workload.rows;
    report.rows += workload.rows;
  }
  return report;
}

// Other databases may have later rows of a session that has not ended, or that is damaged here. Only the
// deletion of the rows that are known here is recorded of it.
void mark_whole(Database& database) {
  for (const std::int64_t id :
       database.integers("SELECT id FROM temp.pruned_session"
                         " WHERE (SELECT finished_ms FROM session WHERE id = pruned_session.id) <> 0")) {
    if (!storage::is_whole_session(database, id)) continue;
    database.prepare("UPDATE temp.pruned_session SET is_whole = 1 WHERE id = ?").bind(id).run();
  }
}

constexpr const char* kRemove = R"sql(
INSERT INTO deletion(origin, session_id, measurement_id)
  SELECT origin, origin_id, 0 FROM session WHERE id IN (SELECT id FROM temp.pruned_session WHERE is_whole)
  ON CONFLICT DO NOTHING;
INSERT INTO deletion(origin, session_id, measurement_id)
  SELECT origin, session.origin_id, coalesce(row.origin_id, row.id) FROM temp.pruned_row AS pruned
  JOIN measurement AS row ON row.id = pruned.id JOIN session ON session.id = row.session_id
  WHERE session.id NOT IN (SELECT id FROM temp.pruned_session WHERE is_whole) ON CONFLICT DO NOTHING;
DELETE FROM measurement WHERE id IN (SELECT id FROM temp.pruned_row);
DELETE FROM session WHERE id IN (SELECT id FROM temp.pruned_session);
DELETE FROM configuration WHERE id IN (SELECT configuration FROM temp.pruned_row)
  AND NOT EXISTS (SELECT 1 FROM measurement WHERE configuration_id = configuration.id);
DELETE FROM workload WHERE id IN (SELECT workload FROM temp.pruned_row)
  AND NOT EXISTS (SELECT 1 FROM session WHERE workload_id = workload.id)
  AND NOT EXISTS (SELECT 1 FROM configuration WHERE workload_id = workload.id);
DELETE FROM kernel WHERE NOT EXISTS (SELECT 1 FROM workload WHERE kernel_id = kernel.id);
DELETE FROM gpu WHERE NOT EXISTS (SELECT 1 FROM session WHERE gpu_id = gpu.id);
)sql";

PruneReport found(Database& database, const PruneRequest& request) {
  select_rows(database, request);
  mark_protected(database);
  mark_in_use(database);
  return report_of(database, request.protected_rows);
}

}  // namespace

PruneReport Store::prune(const PruneRequest& request) {
  Database& database = connection_->database;
  if (request.dry_run) return found(database, request);
  storage::Transaction transaction(database);
  PruneReport report = found(database, request);
  mark_whole(database);
  database.execute(kRemove);
  storage::merging::settle_preferred(database);
  database.known_workloads().clear();
  database.workload_checksums().clear();
  database.session_origin_ids().clear();
  transaction.commit();
  return report;
}

}  // namespace warptune::db
