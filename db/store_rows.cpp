#include <fmt/format.h>

#include <set>
#include <utility>

#include "db/recordings/values_json.h"
#include "db/storage/damage.h"
#include "db/storage/intact_rows.h"
#include "db/storage/measurement_queries.h"
#include "db/storage/row_reader.h"
#include "db/storage/row_writer.h"
#include "db/store.h"
#include "db/store_connection.h"

namespace warptune::db {

namespace {

// The newest measurement of each configuration. Rows that were replayed or imported count only where there
// are no others (`model::RowSource`). If several workloads have the same configuration, only the newest of
// their measurements is returned. For this, the query adds a multiple of 2^61 to the id, by the row's source,
// and takes the maximum. SQLite takes `latest_id` from the row that has the maximum
// (https://sqlite.org/lang_select.html, section 2.5).
std::vector<StoredMeasurement> latest_of(storage::Database& database,
                                         const std::vector<std::int64_t>& workloads, bool with_counters) {
  if (workloads.empty()) return {};
  const std::string latest =
      workloads.size() == 1
          ? fmt::format("SELECT latest_id FROM configuration WHERE workload_id = {}", workloads.front())
          : fmt::format(
                "SELECT latest_id FROM (SELECT latest_id, max(latest_id + (2 - latest_replayed) * (1 << 61))"
                " FROM configuration WHERE workload_id IN ({}) AND latest_id IS NOT NULL GROUP BY key)",
                fmt::join(workloads, ", "));
  storage::Statement statement = database.prepare(
      storage::measurement_query(fmt::format("measurement.id IN ({}) ORDER BY measurement.id", latest)));
  return storage::intact_measurements(database, statement, with_counters);
}

// A query for the ids of a sample. The sample has the `limit / 10` fastest rows of each source, the preferred
// row, and the row of the configuration whose key is bound. The rest is drawn from all rows. A row is drawn
// if a multiplicative hash of its id is below a threshold (Knuth, The Art of Computer Programming 3,
// section 6.4). The sample is therefore the same each time.
std::string sampled_ids(std::int64_t workload, std::uint64_t limit, std::uint64_t known) {
  const std::uint64_t fastest = limit / 10;
  const std::uint64_t threshold = ((limit - fastest) << 32) / known;
  return fmt::format(
      "SELECT latest_id FROM (SELECT latest_id FROM configuration"
      "  WHERE workload_id = {0} AND latest_replayed = 0 AND latest_ns IS NOT NULL"
      "  ORDER BY latest_ns, latest_id LIMIT {1})"
      " UNION ALL SELECT latest_id FROM (SELECT latest_id FROM configuration"
      "  WHERE workload_id = {0} AND latest_replayed = 1 AND latest_ns IS NOT NULL"
      "  ORDER BY latest_ns, latest_id LIMIT {1})"
      " UNION ALL SELECT latest_id FROM (SELECT latest_id FROM configuration"
      "  WHERE workload_id = {0} AND latest_replayed = 2 AND latest_ns IS NOT NULL"
      "  ORDER BY latest_ns, latest_id LIMIT {1})"
      " UNION ALL SELECT latest_id FROM configuration WHERE workload_id = {0} AND latest_preferred IS NOT "
      "NULL"
      " UNION ALL SELECT latest_id FROM configuration WHERE workload_id = {0}"
      "  AND (latest_id * 2654435761 & 4294967295) < {2}"
      " UNION ALL SELECT latest_id FROM configuration WHERE workload_id = {0} AND key = ?",
      workload, fastest, threshold);
}

}  // namespace

model::Counters Store::counters(std::int64_t measurement_id) const {
  return storage::intact_counters(connection_->database, measurement_id);
}

std::vector<StoredMeasurement> Store::measurements(const model::Workload& workload,
                                                   bool with_counters) const {
  storage::Database& database = connection_->database;
  return latest_of(database, storage::workload_ids(database, workload), with_counters);
}

MeasurementSample Store::sampled_measurements(const model::Workload& workload, std::uint64_t limit,
                                              const model::NamedValues& always) const {
  storage::Database& database = connection_->database;
  const std::vector<std::int64_t> workloads = storage::workload_ids(database, workload);
  MeasurementSample sample;
  for (const std::int64_t id : workloads) {
    const storage::CachedStatement count =
        database.cached_statement("SELECT count(*) FROM configuration WHERE workload_id = ?");
    count->bind(id).step();
    sample.known += count->unsigned_integer();
  }
  if (sample.known <= limit || workloads.size() > 1) {
    sample.rows = latest_of(database, workloads, true);
    sample.known = sample.rows.size();
    return sample;
  }
  storage::Statement statement = database.prepare(
      storage::measurement_query(fmt::format("measurement.id IN ({}) ORDER BY measurement.id",
                                             sampled_ids(workloads.front(), limit, sample.known))));
  statement.bind(recordings::canonical_key(always));
  sample.rows = storage::intact_measurements(database, statement);
  return sample;
}

std::optional<StoredMeasurement> Store::latest_measurement(const model::Workload& workload,
                                                           const model::NamedValues& configuration) const {
  storage::Database& database = connection_->database;
  std::optional<StoredMeasurement> newest;
  for (const std::int64_t id : storage::workload_ids(database, workload)) {
    storage::Statement statement = database.prepare(storage::measurement_query(
        "measurement.id = (SELECT latest_id FROM configuration WHERE workload_id = ? AND key = ?)"));
    statement.bind(id).bind(recordings::canonical_key(configuration));
    for (StoredMeasurement& row : storage::intact_measurements(database, statement)) {
      const auto rank = [](const StoredMeasurement& one) {
        return std::pair(-static_cast<int>(one.measurement.source), one.id);
      };
      if (!newest || rank(*newest) < rank(row)) newest = std::move(row);
    }
  }
  return newest;
}

std::unordered_map<std::int64_t, std::string> Store::configuration_keys(
    const model::Workload& workload) const {
  storage::Database& database = connection_->database;
  storage::Statement statement = database.prepare(fmt::format(
      "SELECT latest_id, key FROM configuration WHERE workload_id IN ({}) AND latest_ns IS NOT NULL",
      fmt::join(storage::workload_ids(database, workload), ", ")));
  std::unordered_map<std::int64_t, std::string> keys;
  while (statement.step()) {
    const std::int64_t id = statement.integer();
    keys.emplace(id, statement.text());
  }
  return keys;
}

std::vector<Session> Store::sessions() const {
  storage::Statement statement = connection_->database.prepare(fmt::format(
      "SELECT {} FROM {} ORDER BY session.id", storage::session_columns(), storage::kSessionTables));
  return storage::intact_sessions(connection_->database, statement);
}

std::vector<Session> Store::sessions(const model::Workload& workload) const {
  storage::Database& database = connection_->database;
  storage::Statement statement = database.prepare(fmt::format(
      "SELECT {} FROM {} WHERE session.workload_id IN ({}) ORDER BY session.id", storage::session_columns(),
      storage::kSessionTables, fmt::join(storage::workload_ids(database, workload), ", ")));
  return storage::intact_sessions(database, statement);
}

std::vector<model::Workload> Store::workloads() const {
  std::vector<model::Workload> found;
  std::set<std::int64_t> known;
  for (Session& session : sessions()) {
    const std::int64_t id = storage::workload_of_session(connection_->database, session.id);
    if (known.insert(id).second) found.push_back(std::move(session.workload));
  }
  return found;
}

std::optional<Session> Store::session(std::int64_t id) const {
  return storage::intact_session(connection_->database, id);
}

std::vector<StoredMeasurement> Store::session_measurements(std::int64_t session_id) const {
  storage::Database& database = connection_->database;
  storage::Statement statement =
      database.prepare(storage::measurement_query("measurement.session_id = ? ORDER BY measurement.id"));
  statement.bind(session_id);
  return storage::intact_measurements(database, statement);
}

std::vector<MeasurementOutline> Store::session_outline(std::int64_t session_id) const {
  storage::Statement statement = connection_->database.prepare(
      "SELECT id, status = 'measured', status = 'dropped', median_ns, coalesce(compile_ms, 0) + "
      "coalesce(measure_ms, 0), time_stamp_ms"
      " FROM measurement WHERE session_id = ? ORDER BY id");
  statement.bind(session_id);
  std::vector<MeasurementOutline> rows;
  while (statement.step()) {
    MeasurementOutline& row = rows.emplace_back();
    row.id = statement.integer();
    const bool measured = statement.boolean();
    const bool dropped = statement.boolean();
    if (measured) row.status = model::Status::kMeasured;
    if (dropped) row.status = model::Status::kDropped;
    row.median_ns = statement.real();
    row.spent_ms = statement.real().value_or(0.0);
    row.time_stamp_ms = statement.integer();
  }
  return rows;
}

std::optional<StoredMeasurement> Store::measurement(std::int64_t id) const {
  return storage::intact_measurement(connection_->database, id);
}

std::vector<model::GpuDescription> Store::gpus() const {
  storage::Statement statement = connection_->database.prepare(
      "SELECT description, (SELECT max(iif(replayed = 2, 0, started_ms)) FROM session WHERE gpu_id = gpu.id)"
      " AS newest FROM gpu WHERE newest IS NOT NULL ORDER BY newest DESC, id");
  return storage::read_gpus(statement);
}

Totals Store::totals() const {
  storage::Statement statement = connection_->database.prepare(
      "SELECT (SELECT count(DISTINCT name) FROM kernel), (SELECT count(DISTINCT key) FROM gpu),"
      " (SELECT count(*) FROM workload), (SELECT count(*) FROM session),"
      " (SELECT coalesce(sum(evaluated), 0) FROM workload)");
  statement.step();
  Totals totals;
  totals.kernels = statement.unsigned_integer();
  totals.gpus = statement.unsigned_integer();
  totals.workloads = statement.unsigned_integer();
  totals.sessions = statement.unsigned_integer();
  totals.measurements = statement.unsigned_integer();
  totals.schema_version = static_cast<int>(connection_->database.integer("PRAGMA user_version"));
  return totals;
}

std::vector<DamagedRow> Store::damage() const { return storage::find_damage(connection_->database); }

}  // namespace warptune::db
