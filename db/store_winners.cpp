#include <utility>

#include "db/storage/intact_rows.h"
#include "db/storage/measurement_queries.h"
#include "db/store.h"
#include "db/store_connection.h"

namespace warptune::db {

namespace {

// The measurement of the default configuration of the session of `best` in this workload. If this session has
// measured it, its measurement is returned, else the newest one. A row whose source ranks below that of
// `best` is not returned, because their times are compared.
std::optional<model::Measurement> default_of(storage::Database& database, std::int64_t workload,
                                             const StoredMeasurement& best) {
  storage::Statement statement = database.prepare(storage::measurement_query(
      "configuration.workload_id = ? AND status = 'measured' AND measurement.replayed <= ? AND "
      "configuration.key ="
      " (SELECT default_key FROM session WHERE id = ?)"
      " ORDER BY measurement.session_id = ? DESC, measurement.replayed, coalesce(measurement.origin_id, "
      "measurement.id) DESC,"
      " measurement.checksum DESC LIMIT 1"));
  statement.bind(workload)
      .bind(static_cast<std::int64_t>(best.measurement.source))
      .bind(best.session_id)
      .bind(best.session_id);
  std::vector<StoredMeasurement> found = storage::intact_measurements(database, statement);
  if (found.empty()) return std::nullopt;
  return std::move(found.front().measurement);
}

// Returns std::nullopt if `best` is empty or its session is damaged.
std::optional<Winner> winner_of(storage::Database& database, std::int64_t workload,
                                const std::optional<StoredMeasurement>& best) {
  const std::optional<Session> session =
      best ? storage::intact_session(database, best->session_id) : std::nullopt;
  if (!session) return std::nullopt;
  Winner winner;
  winner.workload = session->workload;
  winner.best = best->measurement;
  winner.default_measurement = default_of(database, workload, *best);
  winner.environment = session->environment;
  winner.work = session->work;
  winner.roofs = session->roofs;
  winner.session_id = session->id;
  const storage::CachedStatement counts =
      database.cached_statement("SELECT measured, evaluated FROM workload WHERE id = ?");
  counts->bind(workload).step();
  winner.measured = counts->unsigned_integer();
  winner.evaluated = counts->unsigned_integer();
  return winner;
}

std::vector<std::int64_t> workloads_of(storage::Database& database, const std::string& kernel,
                                       const std::string& kernel_hash) {
  storage::Statement statement = database.prepare(
      "SELECT workload.id FROM kernel JOIN workload ON workload.kernel_id = kernel.id"
      " WHERE kernel.name = ? AND (? = '' OR kernel.hash = ?) ORDER BY workload.id");
  statement.bind(kernel).bind(kernel_hash).bind(kernel_hash);
  std::vector<std::int64_t> workloads;
  while (statement.step()) workloads.push_back(statement.integer());
  return workloads;
}

std::optional<std::int64_t> fastest_of(storage::Database& database, std::int64_t workload) {
  const storage::CachedStatement found =
      database.cached_statement("SELECT measurement_id FROM winner WHERE workload_id = ?");
  if (!found->bind(workload).step()) return std::nullopt;
  return found->integer();
}

std::int64_t workload_of_row(storage::Database& database, std::int64_t measurement) {
  const storage::CachedStatement found = database.cached_statement(
      "SELECT workload_id FROM measurement JOIN configuration ON configuration.id = configuration_id"
      " WHERE measurement.id = ?");
  found->bind(measurement).step();
  return found->integer();
}

}  // namespace

std::vector<Winner> Store::winners(const std::string& kernel, const std::string& kernel_hash) const {
  storage::Database& database = connection_->database;
  std::vector<Winner> all;
  for (const std::int64_t workload : workloads_of(database, kernel, kernel_hash)) {
    const std::optional<std::int64_t> fastest = fastest_of(database, workload);
    if (!fastest) continue;
    std::optional<Winner> winner =
        winner_of(database, workload, storage::intact_measurement(database, *fastest));
    // The fastest row or its session is damaged. The best intact row takes its place.
    if (!winner) winner = winner_of(database, workload, storage::intact_winner(database, workload));
    if (winner) all.push_back(std::move(*winner));
  }
  return all;
}

std::vector<Winner> Store::winners(const std::string& kernel, const std::string& kernel_hash,
                                   const model::Objective& objective) const {
  std::vector<Winner> all = winners(kernel, kernel_hash);
  if (objective.is_time()) return all;
  storage::Database& database = connection_->database;
  std::vector<Winner> rated;
  for (const Winner& fastest : all) {
    for (const RankedId& ranked : ranked_ids(fastest.workload, objective)) {
      const std::optional<StoredMeasurement> best = ranked_row(ranked, objective);
      if (!best) continue;
      if (std::optional<Winner> winner = winner_of(database, workload_of_row(database, best->id), best))
        rated.push_back(std::move(*winner));
      break;
    }
  }
  return rated;
}

}  // namespace warptune::db
