// Queries for what `warptune show` and the end of a session print about a session. They do not parse all of
// its rows.
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

}  // namespace warptune::db
