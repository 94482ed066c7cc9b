// Prevents the use of rows that do not fit their checksums.
//
// Every reading function compares a row with its checksum and leaves it out if they differ. A row without a
// checksum counts as intact, because an earlier warptune may have written it into an already migrated
// database. Every change of a row first checks the old content. It computes a new checksum only if the row
// was intact, so damaged content never gets a valid checksum. Counters have a checksum of their own, so that
// a measurement with damaged counters keeps its time. A winner whose row is damaged is replaced by the best
// intact row.
#include "db/storage/intact_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "db/preference.h"
#include "db/recordings/values_json.h"
#include "db/storage/checksums.h"
#include "db/storage/measurement_queries.h"
#include "db/storage/merging/origins.h"
#include "db/storage/row_writer.h"
#include "model/measurement.h"

namespace warptune::db::storage {

namespace {

constexpr const char* kChecksumDiffers = "does not fit its checksum";
constexpr const char* kNoChecksum = "has no checksum, so nothing shows whether it is damaged";

std::int64_t computed_checksum(Database& database, const ChecksummedMeasurement& row) {
  return checksum_of(workload_checksum(database, row.workload),
                     merging::origin_id_of_session(database, row.stored.session_id), row.stored.measurement);
}

bool fits(Database& database, const ChecksummedMeasurement& row) {
  return !row.checksum || *row.checksum == computed_checksum(database, row);
}

bool fits(Database& database, const ChecksummedSession& row) {
  return !row.checksum ||
         *row.checksum == checksum_of(workload_checksum(database, row.workload), row.gpu, row.session);
}

bool fits(const ChecksummedMeasurement& row, const model::Counters& counters) {
  return !row.counter_checksum || *row.counter_checksum == checksum_of(counters);
}

// Only the first damaged row of a connection is reported.
void warn_once(Database& database, const std::string& what) {
  if (std::exchange(database.damage_reported(), true)) return;
  base::log_warning(
      fmt::format("{}: stored values are left out, because {}; `warptune db verify` lists all such rows",
                  database.path().string(), what));
}

// `what` continues the message after the id: " does" or "'s counters do".
void report_damaged_measurement(Database& database, std::int64_t id, const char* what) {
  warn_once(database, fmt::format("measurement {}{} not fit the checksum stored with it", id, what));
}

// Returns no counters if they do not fit their checksum.
model::Counters counters_if_intact(Database& database, const ChecksummedMeasurement& row) {
  model::Counters counters = read_counters(database, row.stored.id);
  if (!fits(row, counters)) {
    report_damaged_measurement(database, row.stored.id, "'s counters do");
    return {};
  }
  model::drop_unpatched_counters(counters);
  return counters;
}

std::string session_query(const char* condition) {
  return fmt::format("SELECT {} FROM {} {}", session_columns(), kSessionTables, condition);
}

std::optional<ChecksummedMeasurement> measurement_with_checksum(Database& database, std::int64_t id) {
  static const std::string sql = measurement_query("measurement.id = ?");
  const CachedStatement statement = database.cached_statement(sql.c_str());
  if (!statement->bind(id).step()) return std::nullopt;
  return read_measurement(*statement);
}

std::optional<ChecksummedSession> session_with_checksum(Database& database, std::int64_t id) {
  Statement statement = database.prepare(session_query("WHERE session.id = ?"));
  if (!statement.bind(id).step()) return std::nullopt;
  return read_session(statement);
}

}  // namespace

std::vector<StoredMeasurement> intact_measurements(Database& database, Statement& statement,
                                                   bool with_counters, std::size_t* read) {
  std::vector<ChecksummedMeasurement> rows;
  while (statement.step()) {
    if (read != nullptr) ++*read;
    ChecksummedMeasurement row = read_measurement(statement);
    if (fits(database, row)) {
      rows.push_back(std::move(row));
    } else {
      report_damaged_measurement(database, row.stored.id, " does");
    }
  }
  std::vector<StoredMeasurement> intact;
  intact.reserve(rows.size());
  for (ChecksummedMeasurement& row : rows) {
    if (with_counters) row.stored.measurement.counters = counters_if_intact(database, row);
    intact.push_back(std::move(row.stored));
  }
  return intact;
}

std::optional<StoredMeasurement> intact_measurement(Database& database, std::int64_t id) {
  Statement statement = database.prepare(measurement_query("measurement.id = ?"));
  statement.bind(id);
  std::vector<StoredMeasurement> found = intact_measurements(database, statement);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

model::Counters intact_counters(Database& database, std::int64_t measurement) {
  const std::optional<ChecksummedMeasurement> row = measurement_with_checksum(database, measurement);
  return row ? counters_if_intact(database, *row) : model::Counters();
}

std::vector<Session> intact_sessions(Database& database, Statement& statement) {
  std::vector<Session> intact;
  while (statement.step()) {
    ChecksummedSession row = read_session(statement);
    if (fits(database, row)) {
      intact.push_back(std::move(row.session));
    } else {
      warn_once(database, fmt::format("session {} does not fit the checksum stored with it", row.session.id));
    }
  }
  return intact;
}

std::optional<Session> intact_session(Database& database, std::int64_t id) {
  Statement statement = database.prepare(session_query("WHERE session.id = ?"));
  statement.bind(id);
  std::vector<Session> found = intact_sessions(database, statement);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::optional<StoredMeasurement> intact_winner(Database& database, std::int64_t workload) {
  Statement statement = database.prepare(measurement_query(
      "measurement.id IN (SELECT measurement_id FROM latest_measurement WHERE workload_id = ?)"
      " AND status = 'measured' AND median_ns IS NOT NULL"
      " ORDER BY measurement.replayed, median_ns, coalesce(measurement.origin_id, measurement.id),"
      " configuration.key"));
  statement.bind(workload);
  std::vector<StoredMeasurement> rows = intact_measurements(database, statement);
  std::erase_if(rows,
                [&](const StoredMeasurement& row) { return !intact_session(database, row.session_id); });
  if (rows.empty()) return std::nullopt;
  const double max_ns = kPreferredRatio * rows.front().measurement.time->median_ns;
  const auto preferred = std::find_if(rows.begin(), rows.end(), [&](const StoredMeasurement& row) {
    return row.preferred && row.measurement.source == model::RowSource::kMeasured &&
           row.measurement.time->median_ns <= max_ns;
  });
  return preferred != rows.end() ? *preferred : rows.front();
}

void replace_counters(Database& database, std::int64_t measurement, const model::Counters& counters) {
  database
      .cached_statement("UPDATE measurement SET counter_checksum = ?, revision = revision + 1 WHERE id = ?")
      ->bind(checksum_of(counters))
      .bind(measurement)
      .step();
  if (database.changes() == 0)
    throw base::InternalError(fmt::format("the database has no measurement {}", measurement));
  database.cached_statement("DELETE FROM counter WHERE measurement_id = ?")->bind(measurement).step();
  insert_counters(database, measurement, counters);
}

void refresh_measurement_checksum(Database& database, std::int64_t id) {
  const std::optional<ChecksummedMeasurement> row = measurement_with_checksum(database, id);
  if (!row) return;
  database.cached_statement("UPDATE measurement SET checksum = ? WHERE id = ?")
      ->bind(computed_checksum(database, *row))
      .bind(id)
      .step();
}

void refresh_session_checksum(Database& database, std::int64_t id) {
  const std::optional<ChecksummedSession> row = session_with_checksum(database, id);
  if (!row) return;
  database.prepare("UPDATE session SET checksum = ? WHERE id = ?")
      .bind(checksum_of(workload_checksum(database, row->workload), row->gpu, row->session))
      .bind(id)
      .run();
}

bool is_intact_measurement(Database& database, std::int64_t id) {
  const std::optional<ChecksummedMeasurement> row = measurement_with_checksum(database, id);
  return row && fits(database, *row);
}

bool is_whole_measurement(Database& database, std::int64_t id) {
  try {
    const std::optional<ChecksummedMeasurement> row = measurement_with_checksum(database, id);
    return row && fits(database, *row) && fits(*row, read_counters(database, id));
  } catch (const base::InputError&) {
    return false;
  }
}

bool is_whole_session(Database& database, std::int64_t id) {
  try {
    const std::string problem = problem_of_session(database, id);
    return problem.empty() || problem == kNoChecksum;
  } catch (const base::InputError&) {
    return false;
  }
}

namespace {

// Runs `update` and ignores an unreadable row. The row stays without a checksum, and reading it still fails.
template <class Update>
void try_to(Update update) {
  try {
    update();
  } catch (const base::InputError&) {
  }
}

}  // namespace

void add_checksums(Database& database) {
  for (const std::int64_t id : database.integers("SELECT id FROM measurement")) {
    try_to([&] { refresh_measurement_checksum(database, id); });
    database.cached_statement("UPDATE measurement SET counter_checksum = ? WHERE id = ?")
        ->bind(checksum_of(read_counters(database, id)))
        .bind(id)
        .step();
  }
  for (const std::int64_t id : database.integers("SELECT id FROM session"))
    try_to([&] { refresh_session_checksum(database, id); });
  Statement gpus = database.prepare("SELECT DISTINCT gpu_key FROM roof");
  std::vector<std::string> keys;
  while (gpus.step()) keys.push_back(gpus.text());
  for (const std::string& key : keys) {
    for (const model::RoofReading& reading : read_roofs(database, key)) {
      database.prepare("UPDATE roof SET checksum = ? WHERE gpu_key = ? AND name = ?")
          .bind(checksum_of(key, reading))
          .bind(key)
          .bind(reading.name)
          .run();
    }
  }
}

void refresh_replayed_checksums(Database& database) {
  for (const std::int64_t id : database.integers("SELECT id FROM measurement WHERE replayed <> 0")) {
    try_to([&] {
      std::optional<ChecksummedMeasurement> row = measurement_with_checksum(database, id);
      if (!row || !row->checksum) return;
      row->stored.measurement.source =
          model::RowSource::kMeasured;  // The old checksum is that of a row without the mark.
      if (fits(database, *row)) refresh_measurement_checksum(database, id);
    });
  }
}

std::string problem_of_measurement(Database& database, std::int64_t id) {
  const std::optional<ChecksummedMeasurement> row = measurement_with_checksum(database, id);
  if (!row) return "has no configuration";
  if (!row->checksum || !row->counter_checksum) return kNoChecksum;
  if (!fits(database, *row)) return kChecksumDiffers;
  return fits(*row, read_counters(database, id)) ? "" : "its counters do not fit their checksum";
}

std::string problem_of_session(Database& database, std::int64_t id) {
  const std::optional<ChecksummedSession> row = session_with_checksum(database, id);
  if (!row) return "has no kernel, problem or GPU";
  if (!row->checksum) return kNoChecksum;
  if (!fits(database, *row)) return kChecksumDiffers;
  const CachedStatement key = database.cached_statement("SELECT default_key FROM session WHERE id = ?");
  key->bind(id).step();
  const std::string expected = recordings::canonical_key(row->session.default_configuration);
  return key->text() == expected ? ""
                                 : "the key of its default configuration is not that of the configuration";
}

}  // namespace warptune::db::storage
