// Queries for some sessions, and for what `warptune show` and the end of a session print about a session.
// They do not parse all rows.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "db/storage/intact_rows.h"
#include "db/storage/measurement_queries.h"
#include "db/store.h"
#include "db/store_connection.h"

namespace warptune::db {

std::vector<OutcomeCount> Store::outcome_counts(std::int64_t session_id) const {
  // The rows are counted here, because SQLite would sort all of them for a GROUP BY.
  storage::Statement statement = connection_->database.prepare(
      "SELECT status, iif(status IN ('measured', 'dropped'), '', reason) FROM measurement"
      " WHERE session_id = ? ORDER BY id");
  statement.bind(session_id);
  std::vector<OutcomeCount> counts;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  while (statement.step()) {
    std::string status = statement.text();
    std::string reason = statement.text();
    const auto [place, is_new] = known.try_emplace({std::move(status), std::move(reason)}, counts.size());
    if (is_new) {
      const std::optional<model::Status> parsed = model::parse_status(place->first.first);
      if (!parsed) statement.refuse_damaged("unknown status '" + place->first.first + "'");
      counts.push_back({*parsed, place->first.second, 0});
    }
    ++counts[place->second].rows;
  }
  return counts;
}

std::vector<StoredMeasurement> Store::fastest_of_session(std::int64_t session_id, std::size_t count) const {
  storage::Database& database = connection_->database;
  std::vector<StoredMeasurement> rows;
  // Damaged rows are left out. The next slower rows then take their places.
  for (std::size_t begin = 0; rows.size() < count;) {
    storage::Statement statement = database.prepare(storage::measurement_query(
        "measurement.id IN (SELECT id FROM measurement WHERE session_id = ?"
        " AND status IN ('measured', 'dropped')"
        " ORDER BY status = 'dropped', median_ns IS NULL, median_ns, id LIMIT ? OFFSET ?)"
        " ORDER BY status = 'dropped', median_ns IS NULL, median_ns, measurement.id"));
    const std::size_t wanted = count - rows.size();
    statement.bind(session_id).bind(static_cast<std::int64_t>(wanted)).bind(static_cast<std::int64_t>(begin));
    std::size_t read = 0;
    std::vector<StoredMeasurement> found = storage::intact_measurements(database, statement, true, &read);
    for (StoredMeasurement& row : found) rows.push_back(std::move(row));
    begin += read;
    if (read < wanted) break;
  }
  return rows;
}

std::vector<StoredMeasurement> Store::session_measurements(std::int64_t session_id,
                                                           model::Status status) const {
  storage::Database& database = connection_->database;
  storage::Statement statement = database.prepare(
      storage::measurement_query("measurement.session_id = ? AND status = ? ORDER BY measurement.id"));
  statement.bind(session_id).bind(model::to_string(status));
  return storage::intact_measurements(database, statement);
}

std::vector<Session> Store::noted_sessions(const model::Workload& workload, std::string_view note) const {
  storage::Statement statement = connection_->database.prepare(fmt::format(
      "SELECT {} FROM {} WHERE session.workload_id IN"
      " (SELECT workload.id FROM kernel JOIN workload ON workload.kernel_id = kernel.id"
      "  WHERE kernel.hash = ? AND kernel.name = ? AND workload.gpu_key = ? AND workload.cache_state = ?)"
      " AND instr(session.budget, ?) > 0 ORDER BY session.id",
      storage::session_columns(), storage::kSessionTables));
  statement.bind(workload.kernel_hash)
      .bind(workload.kernel)
      .bind(workload.gpu.key())
      .bind(model::to_string(workload.cache))
      .bind(note);
  return storage::intact_sessions(connection_->database, statement);
}

std::optional<Session> Store::newest_measured_session(const std::string& gpu_key) const {
  storage::Database& database = connection_->database;
  storage::Statement statement = database.prepare(
      "SELECT session.id FROM gpu JOIN session ON session.gpu_id = gpu.id"
      " WHERE gpu.key = ? AND session.replayed = 0 ORDER BY session.started_ms DESC, session.id DESC");
  statement.bind(gpu_key);
  while (statement.step()) {
    if (std::optional<Session> session = storage::intact_session(database, statement.integer()))
      return session;
  }
  return std::nullopt;
}

}  // namespace warptune::db
