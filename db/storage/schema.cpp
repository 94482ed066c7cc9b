// Opens a database and migrates it to the newest version of the schema.
//
// A database's `user_version` is the number of migration steps that were run. Opening runs the missing steps
// in one transaction, so a database is never between two versions. The lock for writing makes other processes
// wait, and each of them then finds nothing to do. SQLite undoes the unfinished transaction of a killed
// process. The first schema is written before the write-ahead log is turned on, so the file itself always has
// the header of a warptune database. Reading needs the newest schema, too, so an older database is migrated
// even by a reader.
#include "db/storage/schema.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "db/storage/database_file.h"
#include "db/storage/intact_rows.h"
#include "db/storage/merging/origins.h"
#include "db/storage/schemas/claims.h"
#include "db/storage/schemas/codes.h"
#include "db/storage/schemas/drivers.h"
#include "db/storage/schemas/first.h"
#include "db/storage/schemas/imports.h"
#include "db/storage/schemas/merging.h"
#include "db/storage/schemas/replays.h"
#include "db/storage/schemas/winners.h"
#include "db/storage/schemas/words.h"

namespace warptune::db::storage {

namespace fs = std::filesystem;
using schemas::kVersion1;
using schemas::kVersion10;
using schemas::kVersion11;
using schemas::kVersion12;
using schemas::kVersion13;
using schemas::kVersion14;
using schemas::kVersion7;
using schemas::kVersion8;
using schemas::kVersion9;

namespace {

// Version 2: the state of the cache becomes part of a workload's key. Earlier measurements had a cold cache.
// SQLite cannot change a table's unique key, so the table is made again
// (https://sqlite.org/lang_altertable.html, section 7). The new column `preferred` marks a row that is
// preferred over others that are equally fast.
constexpr const char* kVersion2 = R"sql(
DROP VIEW winner;
DROP VIEW problem_entry;
CREATE TABLE subject_2(
  id INTEGER PRIMARY KEY, kernel_id INTEGER NOT NULL REFERENCES kernel, problem_key TEXT NOT NULL,
  problem TEXT NOT NULL, gpu_key TEXT NOT NULL, cache_state TEXT NOT NULL,
  UNIQUE(kernel_id, problem_key, gpu_key, cache_state)) STRICT;
INSERT INTO subject_2 SELECT id, kernel_id, problem_key, problem, gpu_key, 'cold' FROM subject;
DROP TABLE subject;
ALTER TABLE subject_2 RENAME TO subject;
ALTER TABLE session DROP COLUMN cache_state;
ALTER TABLE measurement ADD COLUMN preferred INTEGER;
CREATE VIEW problem_entry AS
  SELECT subject.id AS subject_id, entry.key AS name, entry.type AS type, entry.value AS value
  FROM subject, json_each(subject.problem) AS entry;
CREATE VIEW winner AS
  SELECT subject_id, measurement_id, median_ns FROM (
    SELECT subject_id, measurement_id, median_ns,
           row_number() OVER (PARTITION BY subject_id
                              ORDER BY preferred IS NOT NULL AND median_ns <= 1.01 * fastest_ns DESC,
                                       median_ns, measurement_id) AS place
    FROM (SELECT latest_measurement.subject_id AS subject_id, measurement.id AS measurement_id, median_ns,
                 preferred, min(median_ns) OVER (PARTITION BY latest_measurement.subject_id) AS fastest_ns
          FROM latest_measurement JOIN measurement ON measurement.id = latest_measurement.measurement_id
          WHERE status = 'measured' AND median_ns IS NOT NULL))
  WHERE place = 1;
)sql";

// Version 3: a session stores the state of its search, so that a later session can continue it.
constexpr const char* kVersion3 = "ALTER TABLE session ADD COLUMN search_state TEXT;";

// Version 4: the measured roofs of each GPU, and the roofs with which a session's rates are compared.
constexpr const char* kVersion4 = R"sql(
CREATE TABLE roof(
  gpu_key TEXT NOT NULL, name TEXT NOT NULL, value REAL NOT NULL, relative_spread REAL NOT NULL,
  sm_clock_mhz REAL NOT NULL, time_stamp_ms INTEGER NOT NULL, driver_version INTEGER NOT NULL,
  PRIMARY KEY(gpu_key, name)) STRICT, WITHOUT ROWID;
ALTER TABLE session ADD COLUMN roof_read_bytes_per_s REAL;
ALTER TABLE session ADD COLUMN roof_fp32_measured_flops_per_s REAL;
ALTER TABLE session ADD COLUMN roof_fp64_flops_per_s REAL;
ALTER TABLE session ADD COLUMN roof_tensor_flops_per_s REAL;
ALTER TABLE session ADD COLUMN work_unit TEXT NOT NULL DEFAULT 'fp32';
ALTER TABLE session ADD COLUMN work_written_share REAL NOT NULL DEFAULT 0;
)sql";

// Version 5: the two oldest roofs get precise names: the bandwidth of a copy, and the theoretical FP32 peak.
constexpr const char* kVersion5 = R"sql(
ALTER TABLE session RENAME COLUMN roof_memory_bytes_per_s TO roof_copy_bytes_per_s;
ALTER TABLE session RENAME COLUMN roof_fp32_flops_per_s TO roof_fp32_theory_flops_per_s;
)sql";

// Version 6: rows have checksums. `add_checksums` computes those of existing rows.
constexpr const char* kVersion6 = R"sql(
ALTER TABLE measurement ADD COLUMN seal INTEGER;
ALTER TABLE measurement ADD COLUMN counter_seal INTEGER;
ALTER TABLE session ADD COLUMN seal INTEGER;
ALTER TABLE roof ADD COLUMN seal INTEGER;
)sql";
constexpr std::size_t kChecksumVersion = 6;

constexpr std::size_t kReplayVersion = 9;

constexpr std::size_t kOriginVersion = 10;

constexpr std::array<const char*, 14> kMigrations = {
    kVersion1, kVersion2, kVersion3,  kVersion4,  kVersion5,  kVersion6,  kVersion7,
    kVersion8, kVersion9, kVersion10, kVersion11, kVersion12, kVersion13, kVersion14};

std::size_t version_of(Database& database, std::size_t known_version) {
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version < 0 || version > static_cast<std::int64_t>(known_version)) {
    refuse_newer(database.path(), version, known_version);
  }
  return static_cast<std::size_t>(version);
}

// The statements that make the tables, indices, views and triggers of a database.
std::string schema_statements(Database& database) {
  std::string statements;
  Statement found = database.prepare(
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
      " ORDER BY type = 'trigger', type = 'view', type = 'index', rowid");
  while (found.step()) statements += found.text() + ";\n";
  return statements;
}

void run_steps(Database& database, std::span<const char* const> steps) {
  const bool is_own = steps.data() == kMigrations.data() && steps.size() == kMigrations.size();
  Transaction transaction(database);  // Foreign keys are still off, so that a table can be made again.
  // Another process may have migrated the file in the meantime.
  const std::size_t found = version_of(database, steps.size());
  if (is_own && found == 0) {
    make_newest_schema(database);
  } else {
    for (std::size_t version = found; version < steps.size(); ++version) database.execute(steps[version]);
  }
  if (found < steps.size()) database.execute(fmt::format("PRAGMA user_version = {}", steps.size()).c_str());
  // The checksums are computed last, because rows are read with the columns of the newest schema.
  if (is_own) {
    if (found < kOriginVersion) {
      merging::name_origins(database);
      merging::add_search_checksums(database);
    }
    if (found < kChecksumVersion) {
      add_checksums(database);
    } else if (found < kReplayVersion) {
      refresh_replayed_checksums(database);
    }
  }
  database.execute(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str());
  if (database.prepare("PRAGMA foreign_key_check").step())
    throw base::InternalError("a reference between its tables names a missing row");
  transaction.commit();
}

void migrate(Database& database, std::span<const char* const> steps) {
  const std::size_t version = version_of(database, steps.size());
  if (version == steps.size()) return;
  try {
    run_steps(database, steps);
  } catch (const base::InternalError& error) {  // The file's tables are not those of the schema.
    database.refuse_damaged(fmt::format("its tables of schema version {} cannot be brought to version {}: {}",
                                        version, steps.size(), error.message()));
  }
}

void check_tables(Database& database) {
  constexpr std::string_view kTables =
      "SELECT count(*) FROM sqlite_master WHERE name IN ('gpu', 'kernel', 'workload', 'session', "
      "'configuration',"
      " 'measurement', 'metric', 'counter', 'roof', 'winner')";
  if (database.integer(kTables) != 10) database.refuse_damaged("tables are missing");
}

}  // namespace

std::span<const char* const> migrations() { return kMigrations; }

void make_newest_schema(Database& database) {
  static std::mutex mutex;
  static std::string statements;
  {
    const std::lock_guard guard(mutex);
    if (!statements.empty()) return database.execute(statements.c_str());
  }
  for (const char* step : kMigrations) database.execute(step);
  const std::lock_guard guard(mutex);
  statements = schema_statements(database);
}

Database open_for_writing(const fs::path& path, std::span<const char* const> steps) {
  const bool existed = holds_database(path, steps.size());
  if (!existed) make_database_file(path);
  Database database(path, OpenMode::kReadWrite);
  if (database.is_read_only()) database.fail(SQLITE_READONLY, "sqlite3_db_readonly");
  database.execute("PRAGMA synchronous = NORMAL");
  // The first schema is written without a write-ahead log. Even a process that is killed then leaves a file
  // that is a database or empty.
  migrate(database, steps);
  // A session inserts into an index in random order and commits every row. A cache of 64 MiB holds the pages
  // of about 100,000 rows. The write-ahead log is moved into the file only after 4000 pages. Together this
  // saves a third of the time for writing.
  database.execute("PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000");
  use_write_ahead_log(database);
  if (existed && steps.data() == migrations().data()) check_tables(database);
  return database;
}

Database make_scratch(const fs::path& path) {
  make_database_file(path);
  Database database(path, OpenMode::kReadWrite);
  database.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
  migrate(database, kMigrations);
  database.execute("PRAGMA foreign_keys = ON");
  return database;
}

Database open_for_reading(const fs::path& path) {
  if (!holds_database(path, migrations().size())) {
    throw base::InputError("there is no database yet: run `warptune tune KERNEL` first",
                           {path.string(), 0, 0});
  }
  const auto opened = [&](OpenMode mode) {
    Database database(path, mode);
    const bool old = version_of(database, migrations().size()) < migrations().size();
    if (old) return open_for_writing(path);
    check_tables(database);
    return database;
  };
  if (has_journal(path)) return open_for_writing(path);
  try {
    return opened(OpenMode::kReadOnly);
  } catch (const base::MachineError&) {
    // For reading, SQLite makes files beside the database, which is impossible in a read-only folder. If no
    // write-ahead log exists, or an empty one, the database file alone is complete.
    if (has_log(path)) throw;
    return opened(OpenMode::kImmutable);
  }
}

namespace {

// In a folder that cannot be written, SQLite cannot make its lock files. Without a write-ahead log, the file
// alone is complete. If there is an empty log, a process that writes may have made it, so the lock files are
// used if they are there.
Database open_kept_by_others(const fs::path& path) {
  const fs::path file = linked_file(path);
  const bool is_fixed = ::access(fs::absolute(file).parent_path().c_str(), W_OK) != 0 && !has_log(path);
  std::error_code ignored;
  if (is_fixed && !fs::exists(file.string() + "-shm", ignored)) return {path, OpenMode::kImmutable};
  try {
    Database database(path, OpenMode::kReadOnly);
    version_of(database, migrations().size());
    return database;
  } catch (const base::MachineError&) {
    if (!is_fixed) throw;
    return {path, OpenMode::kImmutable};
  }
}

}  // namespace

Database open_shared(const fs::path& path) {
  if (!holds_database(path, migrations().size())) {
    throw base::InputError("there is no database", {path.string(), 0, 0});
  }
  Database database = open_kept_by_others(path);
  const std::size_t version = version_of(database, migrations().size());
  if (version < migrations().size()) {
    throw base::InputError(
        fmt::format(
            "its schema has version {}, and this warptune reads version {}; whoever may write it runs "
            "`warptune db info --db {}`",
            version, migrations().size(), path.string()),
        {path.string(), 0, 0});
  }
  check_tables(database);
  return database;
}

}  // namespace warptune::db::storage
