#include <utility>

#include "db/storage/measurement_queries.h"
#include "db/storage/sound_rows.h"
#include "db/store.h"
#include "db/store_connection.h"

namespace warptune::db {

namespace {

// The session's default configuration as measured for the subject: by that session where it did, else the
// newest.
std::optional<model::Measurement> default_of(storage::Database& database, std::int64_t subject,
                                             std::int64_t session) {
  storage::Statement statement = database.prepare(storage::measurement_query(
      "configuration.subject_id = ? AND status = 'measured' AND configuration.key ="
      " (SELECT default_key FROM session WHERE id = ?)"
      " ORDER BY measurement.session_id = ? DESC, measurement.id DESC LIMIT 1"));
  statement.bind(subject).bind(session).bind(session);
  std::vector<StoredMeasurement> found = storage::sound_measurements(database, statement);
  if (found.empty()) return std::nullopt;
  return std::move(found.front().measurement);
}

// Nothing where it is not sound, or its session is not.
std::optional<Winner> winner_of(storage::Database& database, std::int64_t subject,
                                const std::optional<StoredMeasurement>& best) {
  const std::optional<Session> session =
      best ? storage::sound_session(database, best->session_id) : std::nullopt;
  if (!session) return std::nullopt;
  Winner winner;
  winner.subject = session->subject;
  winner.best = best->measurement;
  winner.default_measurement = default_of(database, subject, best->session_id);
  winner.environment = session->environment;
  winner.work = session->work;
  winner.roofs = session->roofs;
  winner.session_id = session->id;
  const storage::Lease counts = database.lease("SELECT measured, evaluated FROM subject WHERE id = ?");
  counts->bind(subject).step();
  winner.measured = counts->natural();
  winner.evaluated = counts->natural();
  return winner;
}

std::vector<std::int64_t> subjects_of(storage::Database& database, const std::string& kernel,
                                      const std::string& kernel_hash) {
  storage::Statement statement = database.prepare(
      "SELECT subject.id FROM kernel JOIN subject ON subject.kernel_id = kernel.id"
      " WHERE kernel.name = ? AND (? = '' OR kernel.hash = ?) ORDER BY subject.id");
  statement.bind(kernel).bind(kernel_hash).bind(kernel_hash);
  std::vector<std::int64_t> subjects;
  while (statement.step()) subjects.push_back(statement.integer());
  return subjects;
}

std::optional<std::int64_t> fastest_of(storage::Database& database, std::int64_t subject) {
  const storage::Lease found = database.lease("SELECT measurement_id FROM winner WHERE subject_id = ?");
  if (!found->bind(subject).step()) return std::nullopt;
  return found->integer();
}

// The measured row with the least value of an objective; the first of equals.
std::optional<StoredMeasurement> best_of(const std::vector<StoredMeasurement>& rows,
                                         const model::Objective& objective) {
  std::optional<double> minimum;
  const StoredMeasurement* best = nullptr;
  for (const StoredMeasurement& row : rows) {
    if (row.measurement.status != model::Status::kMeasured) continue;
    const std::optional<double> value = objective.value(row.measurement);
    if (!value || (minimum && *minimum <= *value)) continue;
    minimum = value;
    best = &row;
  }
  return best != nullptr ? std::optional(*best) : std::nullopt;
}

std::int64_t subject_of_row(storage::Database& database, std::int64_t measurement) {
  const storage::Lease found = database.lease(
      "SELECT subject_id FROM measurement JOIN configuration ON configuration.id = configuration_id"
      " WHERE measurement.id = ?");
  found->bind(measurement).step();
  return found->integer();
}

}  // namespace

std::vector<Winner> Store::winners(const std::string& kernel, const std::string& kernel_hash) const {
  storage::Database& database = connection_->database;
  std::vector<Winner> all;
  for (const std::int64_t subject : subjects_of(database, kernel, kernel_hash)) {
    const std::optional<std::int64_t> fastest = fastest_of(database, subject);
    if (!fastest) continue;
    std::optional<Winner> winner =
        winner_of(database, subject, storage::sound_measurement(database, *fastest));
    if (!winner) winner = winner_of(database, subject, storage::sound_winner(database, subject));
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
    const std::optional<StoredMeasurement> best = best_of(measurements(fastest.subject), objective);
    if (!best) continue;
    if (std::optional<Winner> winner = winner_of(database, subject_of_row(database, best->id), best))
      rated.push_back(std::move(*winner));
  }
  return rated;
}

}  // namespace warptune::db
