#include "db/storage/merging/merged_sessions.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/storage/damage.h"
#include "db/storage/intact_rows.h"

namespace warptune::db::storage::merging {

namespace {

constexpr const char* kDeleteRows = R"sql(
DELETE FROM main.measurement WHERE id IN (
  SELECT row.id FROM main.deletion CROSS JOIN main.session
    ON session.origin = deletion.origin AND session.origin_id = deletion.session_id
  CROSS JOIN main.measurement AS row ON row.session_id = session.id AND row.origin_id = measurement_id
  UNION ALL
  SELECT row.id FROM main.deletion CROSS JOIN main.session
    ON session.origin = deletion.origin AND session.origin_id = deletion.session_id
  CROSS JOIN main.measurement AS row
    ON row.id = measurement_id AND row.session_id = session.id AND row.origin_id IS NULL
  UNION ALL
  SELECT row.id FROM main.deletion CROSS JOIN main.session
    ON session.origin = deletion.origin AND session.origin_id = deletion.session_id
  CROSS JOIN main.measurement AS row ON row.session_id = session.id WHERE measurement_id = 0);
)sql";

constexpr const char* kDeleteSessions = R"sql(
DELETE FROM main.session WHERE EXISTS (SELECT 1 FROM main.deletion WHERE deletion.origin = session.origin
  AND deletion.session_id = session.origin_id AND measurement_id = 0);
)sql";

constexpr const char* kWorkloads = R"sql(
INSERT INTO main.kernel(name, hash) SELECT name, hash FROM other.kernel WHERE true ON CONFLICT DO NOTHING;
INSERT INTO main.workload(kernel_id, problem_key, problem, gpu_key, cache_state)
  SELECT known.id, problem_key, problem, gpu_key, cache_state FROM other.workload AS row
  JOIN other.kernel AS kernel ON kernel.id = row.kernel_id
  JOIN main.kernel AS known ON known.hash = kernel.hash AND known.name = kernel.name
  WHERE true ON CONFLICT DO NOTHING;
CREATE TEMP TABLE merged_workload(source INTEGER PRIMARY KEY, target INTEGER NOT NULL);
INSERT INTO merged_workload SELECT row.id, known.id FROM other.workload AS row
  JOIN other.kernel AS kernel ON kernel.id = row.kernel_id
  JOIN main.kernel AS same ON same.hash = kernel.hash AND same.name = kernel.name
  JOIN main.workload AS known ON known.kernel_id = same.id AND known.problem_key = row.problem_key
    AND known.gpu_key = row.gpu_key AND known.cache_state = row.cache_state;
)sql";

constexpr const char* kSessionMap = R"sql(
CREATE TEMP TABLE merged_session(
  source INTEGER PRIMARY KEY, target INTEGER NOT NULL, is_new INTEGER NOT NULL);
INSERT INTO merged_session SELECT row.id, known.id, 0 FROM other.session AS row JOIN main.session AS known
  ON known.origin = row.origin AND known.origin_id = row.origin_id;
)sql";

// Sessions that were not deleted and are not mapped yet.
constexpr const char* kOtherSessions =
    " FROM other.session AS row WHERE row.origin IS NOT NULL"
    " AND row.id NOT IN (SELECT source FROM merged_session)"
    " AND NOT EXISTS (SELECT 1 FROM main.deletion WHERE deletion.origin = row.origin"
    "  AND deletion.session_id = row.origin_id AND measurement_id = 0)";

void merge_gpus(Database& database) {
  const std::int64_t last = database.integer("SELECT max(id) FROM main.gpu");
  const std::vector<std::string> columns = columns_without(database, "gpu", {"id"});
  database.execute(
      fmt::format("INSERT INTO main.gpu({0}) SELECT {0} FROM other.gpu WHERE true ON CONFLICT DO NOTHING",
                  fmt::join(columns, ", "))
          .c_str());
  for (const std::int64_t id :
       database.integers(fmt::format("SELECT id FROM main.gpu WHERE id > {}", last))) {
    if (!problem_of_gpu(database, id).empty())
      database.prepare("DELETE FROM main.gpu WHERE id = ?").bind(id).run();
  }
  database.execute(
      "CREATE TEMP TABLE merged_gpu(source INTEGER PRIMARY KEY, target INTEGER NOT NULL);"
      "INSERT INTO merged_gpu SELECT row.id, known.id FROM other.gpu AS row"
      " JOIN main.gpu AS known ON known.description = row.description");
}

void forget_ids(Database& database) {
  database.known_workloads().clear();
  database.workload_checksums().clear();
  database.session_origin_ids().clear();
}

void add_sessions(Database& database, const std::vector<std::string>& columns, MergeCounts& counts) {
  const std::int64_t last = database.integer("SELECT max(id) FROM main.session");
  database.execute(fmt::format("INSERT INTO main.session(workload_id, gpu_id, {0})"
                               " SELECT (SELECT target FROM merged_workload WHERE source = row.workload_id),"
                               "  (SELECT target FROM merged_gpu WHERE source = row.gpu_id), row.{1}{2}"
                               " AND row.gpu_id IN (SELECT source FROM merged_gpu) ORDER BY row.id",
                               fmt::join(columns, ", "), fmt::join(columns, ", row."), kOtherSessions)
                       .c_str());
  for (const std::int64_t id :
       database.integers(fmt::format("SELECT id FROM main.session WHERE id > {}", last))) {
    if (is_whole_session(database, id)) {
      ++counts.sessions;
    } else {
      database.prepare("DELETE FROM main.session WHERE id = ?").bind(id).run();
    }
  }
  forget_ids(database);  // The ids of removed sessions are used again.
  database.execute(
      fmt::format("INSERT INTO merged_session SELECT row.id, known.id, 1 FROM other.session AS row"
                  " JOIN main.session AS known ON known.origin = row.origin"
                  "  AND known.origin_id = row.origin_id WHERE known.id > {}",
                  last)
          .c_str());
  counts.refused += static_cast<std::uint64_t>(database.integer(fmt::format(
      "SELECT count(*) FROM other.measurement WHERE session_id IN (SELECT row.id{})", kOtherSessions)));
}

void update_sessions(Database& database, const std::vector<std::string>& columns) {
  const std::vector<std::int64_t> newer = database.integers(
      "SELECT target FROM merged_session JOIN other.session AS row ON row.id = source"
      " JOIN main.session AS known ON known.id = target WHERE is_new = 0"
      " AND (row.revision, coalesce(row.checksum, 0)) > (known.revision, coalesce(known.checksum, 0))");
  for (const std::int64_t id : newer) {
    database.execute("SAVEPOINT session_update");
    database
        .prepare(
            fmt::format("UPDATE main.session SET ({0}, workload_id) = (SELECT row.{1}, merged_workload.target"
                        " FROM merged_session JOIN other.session AS row ON row.id = merged_session.source"
                        " JOIN merged_workload ON merged_workload.source = row.workload_id"
                        " WHERE merged_session.target = main.session.id) WHERE id = ?",
                        fmt::join(columns, ", "), fmt::join(columns, ", row.")))
        .bind(id)
        .run();
    database.execute(is_whole_session(database, id) ? "RELEASE session_update"
                                                    : "ROLLBACK TO session_update; RELEASE session_update");
  }
  if (!newer.empty()) forget_ids(database);
}

}  // namespace

const char* const kChosenRows =
    "(SELECT row.id AS id, workload_id, preferred,"
    " status = 'measured' AND row_number() OVER (PARTITION BY workload_id"
    "  ORDER BY chosen DESC, coalesce(origin_id, row.id) DESC, checksum DESC) = 1 AS is_preferred"
    " FROM main.measurement AS row JOIN main.configuration AS of_row ON of_row.id = configuration_id"
    " WHERE chosen > 0)";

std::vector<std::string> columns_without(Database& database, const std::string& table,
                                         const std::vector<std::string>& others) {
  Statement found = database.prepare("SELECT name FROM pragma_table_info(?)");
  found.bind(table);
  std::vector<std::string> columns;
  while (found.step()) {
    std::string column = found.text();
    if (std::find(others.begin(), others.end(), column) == others.end()) columns.push_back(std::move(column));
  }
  return columns;
}

void merge_sessions(Database& database, MergeCounts& counts) {
  database.execute(
      "INSERT INTO main.deletion SELECT * FROM other.deletion WHERE true ON CONFLICT DO NOTHING");
  if (database.changes() > 0) {
    database.execute(kDeleteRows);
    counts.removed = static_cast<std::uint64_t>(database.changes());
    database.execute(kDeleteSessions);
  }
  merge_gpus(database);
  database.execute(kWorkloads);
  database.execute(kSessionMap);
  const std::vector<std::string> columns = columns_without(
      database, "session", {"id", "workload_id", "gpu_id", "search_state", "search_checksum"});
  add_sessions(database, columns, counts);
  update_sessions(database, columns);
}

void merge_roofs(Database& database) {
  const std::string columns = fmt::format("{}", fmt::join(columns_without(database, "roof", {}), ", "));
  std::vector<std::string> keys;
  {
    Statement newer = database.prepare(
        "SELECT gpu_key FROM (SELECT gpu_key, max(revision) AS revision, max(coalesce(checksum, 0)) AS "
        "content"
        "  FROM other.roof GROUP BY gpu_key) AS row WHERE NOT EXISTS (SELECT 1 FROM main.roof AS known"
        " WHERE known.gpu_key = row.gpu_key GROUP BY known.gpu_key"
        " HAVING (max(known.revision), max(coalesce(known.checksum, 0))) >= (row.revision, row.content))");
    while (newer.step()) keys.push_back(newer.text());
  }
  for (const std::string& key : keys) {
    database.execute("SAVEPOINT roofs");
    database.prepare("DELETE FROM main.roof WHERE gpu_key = ?").bind(key).run();
    database
        .prepare(
            fmt::format("INSERT INTO main.roof({0}) SELECT {0} FROM other.roof WHERE gpu_key = ?", columns))
        .bind(key)
        .run();
    const auto count = static_cast<std::size_t>(database.changes());
    database.execute(read_roofs(database, key).size() == count ? "RELEASE roofs"
                                                               : "ROLLBACK TO roofs; RELEASE roofs");
  }
}

void settle_preferred(Database& database) {
  database.execute(
      fmt::format("UPDATE main.measurement SET preferred = nullif(row.is_preferred, 0) FROM {} AS row"
                  " WHERE row.id = main.measurement.id AND coalesce(row.preferred, 0) <> row.is_preferred",
                  kChosenRows)
          .c_str());
}

void remove_unused_workloads(Database& database) {
  database.execute(
      "DELETE FROM main.workload WHERE id IN (SELECT target FROM merged_workload)"
      " AND NOT EXISTS (SELECT 1 FROM main.session WHERE workload_id = workload.id)"
      " AND NOT EXISTS (SELECT 1 FROM main.configuration WHERE workload_id = workload.id);"
      "DELETE FROM main.kernel WHERE NOT EXISTS (SELECT 1 FROM main.workload WHERE kernel_id = kernel.id)");
}

}  // namespace warptune::db::storage::merging
