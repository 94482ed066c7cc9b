// Merges another database into this one.
//
// The other database is attached to this one's connection, so that SQLite copies whole sets of rows. First
// the rows of the small tables are added, and temporary tables map their ids to the ids in this database.
// Then one pass over the measurements of the other database finds those that are missing here or differ.
// Only these are copied. If there are none, nothing more is read. Rows are verified in this database, after
// they were copied. A check before the copying would not notice damage by the copying. Nor would it notice
// that another process changes a row between the check and the copying. Rows that differ are few, and are
// replaced one by one.
#include "db/storage/merging/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "db/recordings/values_json.h"
#include "db/storage/intact_rows.h"
#include "db/storage/merging/attached_database.h"
#include "db/storage/merging/merged_sessions.h"

namespace warptune::db::storage::merging {

namespace fs = std::filesystem;

namespace {

// Undoes what was done since it was made, unless `keep` was called.
class Savepoint {
 public:
  explicit Savepoint(Database& database) : database_(database) { database.execute("SAVEPOINT row"); }
  Savepoint(const Savepoint&) = delete;
  Savepoint& operator=(const Savepoint&) = delete;
  ~Savepoint() {
    try {
      database_.execute(keep_ ? "RELEASE row" : "ROLLBACK TO row; RELEASE row");
    } catch (const base::Error&) {  // SQLite has rolled back the whole transaction already.
    }
  }
  void keep() { keep_ = true; }

 private:
  Database& database_;
  bool keep_ = false;
};

// All rows of the other database, or those that are wanted.
constexpr const char* kAllRows = "other.measurement AS row";
constexpr const char* kWantedRows =
    "wanted_row CROSS JOIN other.measurement AS row ON row.id = wanted_row.id";

// Fills `merged_row` with the rows of the other database that are missing here or differ:
//
// * `source` is the row's id in the other database, and `number` its id in the file in which it was made.
// * `target` is the id of the same row in this database, or NULL if it is missing here. `chosen` is the value
//   of its column `chosen` in this database (schemas/merging.h). `is_newer` is 1 if the row of the other
//   database replaces the row of this one.
// * `session` is the id of the row's session in this database.
//
// A row may be missing here because it was deleted (table `deletion`). The DELETE takes such rows out of
// `merged_row`. CROSS JOIN fixes the order in which SQLite reads the tables.
constexpr const char* kRowMap = R"sql(
CREATE TEMP TABLE merged_row(
  place INTEGER PRIMARY KEY, source INTEGER NOT NULL, session INTEGER NOT NULL, number INTEGER NOT NULL,
  target INTEGER, is_newer INTEGER, chosen INTEGER);
INSERT INTO merged_row(source, session, number, target, chosen, is_newer)
  SELECT row.id, merged.target, coalesce(row.origin_id, row.id), known.id, known.chosen,
    (row.revision, coalesce(row.checksum, 0), coalesce(row.counter_checksum, 0)) >
    (known.revision, coalesce(known.checksum, 0), coalesce(known.counter_checksum, 0))
  FROM {0} CROSS JOIN merged_session AS merged ON merged.source = row.session_id
  LEFT JOIN main.measurement AS known ON merged.is_new = 0 AND known.id = coalesce(
    (SELECT id FROM main.measurement WHERE session_id = merged.target
     AND origin_id = coalesce(row.origin_id, row.id)),
    (SELECT id FROM main.measurement WHERE id = coalesce(row.origin_id, row.id)
     AND session_id = merged.target AND origin_id IS NULL))
  WHERE known.id IS NULL OR (row.revision, row.checksum, row.counter_checksum) IS NOT
    (known.revision, known.checksum, known.counter_checksum) OR row.chosen IS NOT known.chosen
  ORDER BY row.id;
DELETE FROM merged_row WHERE target IS NULL AND EXISTS (SELECT 1 FROM main.session JOIN main.deletion
  ON deletion.origin = session.origin AND session_id = session.origin_id AND measurement_id = number
  WHERE session.id = merged_row.session);
)sql";

constexpr const char* kConfigurations = R"sql(
CREATE TEMP TABLE needed_configuration(id INTEGER PRIMARY KEY);
INSERT INTO needed_configuration SELECT DISTINCT row.configuration_id
  FROM merged_row CROSS JOIN other.measurement AS row ON row.id = merged_row.source ORDER BY 1;
INSERT INTO main.configuration(workload_id, key, body)
  SELECT merged.target, key, body FROM needed_configuration AS needed
  CROSS JOIN other.configuration AS row ON row.id = needed.id
  CROSS JOIN merged_workload AS merged ON merged.source = row.workload_id
  ORDER BY merged.target, key ON CONFLICT DO NOTHING;
)sql";

constexpr const char* kConfigurationMap = R"sql(
CREATE TEMP TABLE merged_configuration(source INTEGER PRIMARY KEY, target INTEGER NOT NULL);
INSERT INTO merged_configuration SELECT row.id, known.id FROM needed_configuration AS needed
  CROSS JOIN other.configuration AS row ON row.id = needed.id
  CROSS JOIN merged_workload AS merged ON merged.source = row.workload_id
  CROSS JOIN main.configuration AS known ON known.workload_id = merged.target AND known.key = row.key;
INSERT INTO main.metric(name) SELECT name FROM other.metric WHERE true ON CONFLICT DO NOTHING;
CREATE TEMP TABLE merged_metric(source INTEGER PRIMARY KEY, target INTEGER NOT NULL);
INSERT INTO merged_metric SELECT row.id, known.id FROM other.metric AS row
  CROSS JOIN main.metric AS known ON known.name = row.name;
)sql";

constexpr const char* kDropTables = R"sql(
DROP TABLE IF EXISTS merged_gpu; DROP TABLE IF EXISTS merged_workload; DROP TABLE IF EXISTS merged_session;
DROP TABLE IF EXISTS merged_row; DROP TABLE IF EXISTS needed_configuration;
DROP TABLE IF EXISTS merged_configuration; DROP TABLE IF EXISTS merged_metric;
DROP TABLE IF EXISTS wanted_row;
)sql";

void name_wanted_rows(Database& database, const std::vector<std::int64_t>& ids) {
  database.execute("CREATE TEMP TABLE wanted_row(id INTEGER PRIMARY KEY)");
  for (const std::int64_t id : ids)
    database.cached_statement("INSERT OR IGNORE INTO wanted_row VALUES (?)")->bind(id).run();
}

class MergedRows {
 public:
  // `rows` is a table expression in which `row` is a row of the other database.
  MergedRows(Database& database, Source from, const char* rows)
      : database_(database),
        max_step_(from == Source::kUntrusted ? 0 : INT64_MAX / 2),
        rows_(rows),
        columns_(columns_without(database, "measurement",
                                 {"id", "session_id", "configuration_id", "origin_id", "preferred"})) {}

  void run(MergeCounts& counts) {
    database_.execute(fmt::format(kRowMap, rows_).c_str());
    // What the last statement of kRowMap removed.
    const auto deleted = static_cast<std::uint64_t>(database_.changes());
    const auto all = database_.integer(
        fmt::format("SELECT count(*) FROM {} CROSS JOIN merged_session ON source = row.session_id", rows_));
    const std::int64_t differing = database_.integer("SELECT count(*) FROM merged_row");
    if (differing > 0) {
      map_configurations();
      add(counts);
      replace(counts);
      database_.execute(
          "UPDATE main.measurement SET chosen = max(coalesce(merged_row.chosen, 0), coalesce(row.chosen, 0))"
          " FROM merged_row CROSS JOIN other.measurement AS row ON row.id = merged_row.source"
          " WHERE main.measurement.id = merged_row.target"
          " AND (row.chosen > 0 OR merged_row.chosen > 0)");
    }
    counts.known = static_cast<std::uint64_t>(all) - deleted - counts.added - counts.updated - refused_;
    counts.refused += refused_;
    counts.skipped = deleted + rows_of_deleted_sessions();
  }

 private:
  // `merged_session` has only sessions that were not deleted here.
  std::uint64_t rows_of_deleted_sessions() {
    return static_cast<std::uint64_t>(database_.integer(
        fmt::format("SELECT count(*) FROM {} WHERE row.session_id IN (SELECT id FROM other.session AS theirs"
                    " WHERE EXISTS (SELECT 1 FROM main.deletion WHERE deletion.origin = theirs.origin"
                    "  AND deletion.session_id = theirs.origin_id AND measurement_id = 0))",
                    rows_)));
  }

  void map_configurations() {
    const std::int64_t last = database_.integer("SELECT max(id) FROM main.configuration");
    database_.execute(kConfigurations);
    // No checksum of a measurement covers the key. Rows of a configuration with a wrong key are refused.
    std::vector<std::int64_t> damaged;
    Statement added = database_.prepare("SELECT id, key, body FROM main.configuration WHERE id > ?");
    added.bind(last);
    while (added.step()) {
      const std::int64_t id = added.integer();
      const std::string key = added.text();
      try {
        if (recordings::canonical_key(recordings::parse_values(added.text())) == key) continue;
      } catch (const base::InputError&) {
      }
      damaged.push_back(id);
    }
    added.reset();
    for (const std::int64_t id : damaged)
      database_.prepare("DELETE FROM main.configuration WHERE id = ?").bind(id).run();
    database_.execute(kConfigurationMap);
  }

  // Copies rows and their counters. `id` and `condition` are SQL over the columns of `merged_row`.
  void copy(const std::string& id, const std::string& condition) {
    database_.execute(
        fmt::format("INSERT INTO main.measurement(id, session_id, configuration_id, origin_id, {0})"
                    " SELECT {1}, merged_row.session, configuration.target, number, row.{2} FROM merged_row"
                    " CROSS JOIN other.measurement AS row ON row.id = merged_row.source"
                    " CROSS JOIN merged_configuration AS configuration"
                    "  ON configuration.source = row.configuration_id"
                    " WHERE {3} ORDER BY place",
                    fmt::join(columns_, ", "), id, fmt::join(columns_, ", row."), condition)
            .c_str());
    database_.execute(
        fmt::format("INSERT INTO main.counter(measurement_id, metric_id, value)"
                    " SELECT {0}, merged_metric.target, value FROM merged_row"
                    " CROSS JOIN other.counter ON measurement_id = merged_row.source"
                    " CROSS JOIN merged_metric ON merged_metric.source = metric_id"
                    " WHERE {1} AND EXISTS (SELECT 1 FROM main.measurement AS row WHERE row.id = {0})"
                    " ORDER BY place",
                    id, condition)
            .c_str());
  }

  // The `number` of a row is also a logical clock: the row with the larger number is the later one
  // (schemas/merging.h). A row that is measured here after the merge gets the next id as its number, and must
  // be later than the added rows. So their ids here begin above all ids of this database, and above their
  // largest `number`. `max_step_` limits how far the ids grow for this. It is 0 for an untrusted source,
  // because its numbers may be false.
  void add(MergeCounts& counts) {
    const std::int64_t known = database_.integer("SELECT max(id) FROM main.measurement");
    const std::int64_t number = database_.integer("SELECT max(number) FROM merged_row WHERE target IS NULL");
    const std::int64_t last = std::max(known, number - known > max_step_ ? known + max_step_ : number);
    const std::string id = fmt::format("{} + place", last);
    copy(id, "merged_row.target IS NULL");
    const std::vector<std::int64_t> copied =
        database_.integers(fmt::format("SELECT {} FROM merged_row WHERE target IS NULL ORDER BY place", id));
    for (const std::int64_t row : copied) {
      if (is_whole_measurement(database_, row)) {
        ++counts.added;
        continue;
      }
      database_.cached_statement("DELETE FROM measurement WHERE id = ?")->bind(row).run();
      ++refused_;
    }
  }

  void replace(MergeCounts& counts) {
    for (const std::int64_t id :
         database_.integers("SELECT target FROM merged_row WHERE is_newer = 1 AND target IS NOT NULL")) {
      Savepoint savepoint(database_);
      database_.cached_statement("DELETE FROM measurement WHERE id = ?")->bind(id).run();
      copy("merged_row.target", fmt::format("merged_row.target = {}", id));
      if (is_whole_measurement(database_, id)) {
        savepoint.keep();
        ++counts.updated;
      } else {
        ++refused_;
      }
    }
  }

  Database& database_;
  std::int64_t max_step_;
  const char* rows_;
  std::vector<std::string> columns_;
  std::uint64_t refused_ = 0;
};

}  // namespace

MergeCounts merge(Database& target, const fs::path& path,
                  const std::optional<std::vector<std::int64_t>>& wanted) {
  const Database source = opened_source(target.path(), path);
  const AttachedDatabase attached(target, source);
  return merge_attached(target, Source::kTrusted, wanted);
}

MergeCounts merge_attached(Database& target, Source from,
                           const std::optional<std::vector<std::int64_t>>& wanted) {
  Transaction transaction(target);
  target.execute(kDropTables);
  if (wanted) name_wanted_rows(target, *wanted);
  MergeCounts counts;
  merge_sessions(target, counts);
  MergedRows(target, from, wanted ? kWantedRows : kAllRows).run(counts);
  settle_preferred(target);
  merge_roofs(target);
  remove_unused_workloads(target);
  target.execute(kDropTables);
  transaction.commit();
  return counts;
}

}  // namespace warptune::db::storage::merging
