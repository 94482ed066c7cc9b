#include "db/store.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "db/detail/database_file.h"
#include "db/detail/rows.h"
#include "db/detail/schema.h"
#include "db/detail/sound_rows.h"
#include "db/detail/sqlite.h"
#include "db/detail/values_json.h"

namespace warptune::db {

struct Store::Connection {
  mutable detail::Database database;
};

namespace {

void expect_changed(const detail::Database& database, const char* what, std::int64_t id) {
  if (database.changes() == 0) throw base::InternalError(fmt::format("no {} {} in the database", what, id));
}

std::int64_t subject_of_row(detail::Database& database, std::int64_t measurement) {
  const detail::Lease found = database.lease(
      "SELECT subject_id FROM measurement JOIN configuration ON configuration.id = configuration_id"
      " WHERE measurement.id = ?");
  found->bind(measurement).step();
  return found->integer();
}

// The session's default configuration as measured for the subject: by that session where it did, else the
// newest.
std::optional<search::Measurement> default_of(detail::Database& database, std::int64_t subject,
                                              std::int64_t session) {
  detail::Statement statement = database.prepare(
      detail::measurement_query("configuration.subject_id = ? AND status = 'measured' AND configuration.key ="
                                " (SELECT default_key FROM session WHERE id = ?)"
                                " ORDER BY measurement.session_id = ? DESC, measurement.id DESC LIMIT 1"));
  statement.bind(subject).bind(session).bind(session);
  std::vector<StoredMeasurement> found = detail::sound_measurements(database, statement);
  if (found.empty()) return std::nullopt;
  return std::move(found.front().measurement);
}

void count_evaluations(detail::Database& database, std::int64_t subject, Winner& winner) {
  detail::Statement measured = database.prepare(
      "SELECT count(*) FROM latest_measurement JOIN measurement ON measurement.id = measurement_id"
      " WHERE subject_id = ? AND status = 'measured'");
  measured.bind(subject).step();
  winner.measured = measured.natural();
  detail::Statement evaluated = database.prepare(
      "SELECT count(*) FROM configuration JOIN measurement ON configuration_id = configuration.id"
      " WHERE subject_id = ?");
  evaluated.bind(subject).step();
  winner.evaluated = evaluated.natural();
}

// Nothing where it is not sound, or its session is not.
std::optional<Winner> winner_of(detail::Database& database, std::int64_t subject,
                                const std::optional<StoredMeasurement>& best) {
  const std::optional<Session> session =
      best ? detail::sound_session(database, best->session_id) : std::nullopt;
  if (!session) return std::nullopt;
  Winner winner;
  winner.subject = session->subject;
  winner.best = best->measurement;
  winner.default_measurement = default_of(database, subject, best->session_id);
  winner.environment = session->environment;
  winner.work = session->work;
  winner.roofs = session->roofs;
  winner.session_id = session->id;
  count_evaluations(database, subject, winner);
  return winner;
}

}  // namespace

Store::Store(const std::filesystem::path& path)
    : connection_(std::make_unique<Connection>(Connection{detail::open_for_writing(path)})) {}

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

Store Store::open_existing(const std::filesystem::path& path) {
  return Store(std::make_unique<Connection>(Connection{detail::open_for_reading(path)}));
}

bool Store::exists(const std::filesystem::path& path) {
  return detail::holds_database(path, detail::migrations().size());
}

Store::Batch::Batch(Store& store)
    : transaction_(std::make_unique<detail::Transaction>(store.connection_->database)) {}
Store::Batch::~Batch() = default;
void Store::Batch::commit() { transaction_->commit(); }

Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

std::int64_t Store::begin_session(const Session& session) {
  detail::Transaction transaction(connection_->database);
  const std::int64_t id = detail::insert_session(connection_->database, session);
  transaction.commit();
  return id;
}

void Store::finish_session(std::int64_t id, std::int64_t finished_ms) {
  detail::Database& database = connection_->database;
  detail::change_session(database, id, [&] {
    database.prepare("UPDATE session SET finished_ms = ? WHERE id = ?").bind(finished_ms).bind(id).run();
    expect_changed(database, "session", id);
  });
}

void Store::set_session_roofs(std::int64_t id, const search::Roofs& roofs) {
  detail::Database& database = connection_->database;
  detail::change_session(database, id, [&] {
    detail::update_session_roofs(database, id, roofs);
    expect_changed(database, "session", id);
  });
}

std::int64_t Store::add_measurement(std::int64_t session_id, const search::Measurement& measurement) {
  detail::Database& database = connection_->database;
  detail::Transaction transaction(database);
  const std::int64_t id = detail::insert_measurement(database, session_id, measurement);
  transaction.commit();
  return id;
}

void Store::set_counters(std::int64_t measurement_id, const search::Counters& counters) {
  detail::Database& database = connection_->database;
  detail::Transaction transaction(database);
  detail::replace_counters(database, measurement_id, counters);
  transaction.commit();
}

void Store::add_counters(std::int64_t measurement_id, const search::Counters& counters) {
  detail::Database& database = connection_->database;
  detail::Transaction transaction(database);
  search::Counters all = detail::sound_counters(database, measurement_id);
  for (const auto& [name, value] : counters) all[name] = value;
  detail::replace_counters(database, measurement_id, all);
  transaction.commit();
}

void Store::set_time(std::int64_t measurement_id, const search::TimeSummary& time,
                     const std::vector<double>& samples_ns) {
  detail::Database& database = connection_->database;
  detail::change_measurement(database, measurement_id, [&] {
    database
        .prepare(
            "UPDATE measurement SET median_ns = ?, low_ns = ?, high_ns = ?, samples = ?,"
            " reason = iif(status = 'dropped', '', reason), status = iif(status = 'dropped', 'measured', "
            "status)"
            " WHERE id = ?")
        .bind(time.median_ns)
        .bind(time.low_ns)
        .bind(time.high_ns)
        .bind(samples_ns)
        .bind(measurement_id)
        .run();
    expect_changed(database, "measurement", measurement_id);
  });
}

void Store::reject(std::int64_t measurement_id, const search::Rejection& rejection) {
  detail::Database& database = connection_->database;
  detail::change_measurement(database, measurement_id, [&] {
    database.prepare("UPDATE measurement SET status = ?, reason = ?, preferred = 0 WHERE id = ?")
        .bind(search::to_string(rejection.status))
        .bind(rejection.reason)
        .bind(measurement_id)
        .run();
    expect_changed(database, "measurement", measurement_id);
  });
}

void Store::set_search_state(std::int64_t session_id, std::string_view text) {
  detail::Database& database = connection_->database;
  detail::Transaction transaction(database);
  database
      .prepare(
          "UPDATE session SET search_state = NULL WHERE search_state IS NOT NULL AND id <= ?1"
          " AND (subject_id, strategy, seed, objective) ="
          " (SELECT subject_id, strategy, seed, objective FROM session WHERE id = ?1)")
      .bind(session_id)
      .run();
  if (!text.empty()) {
    database.prepare("UPDATE session SET search_state = ? WHERE id = ?").bind(text).bind(session_id).run();
    expect_changed(database, "session", session_id);
  }
  transaction.commit();
}

std::optional<SearchState> Store::search_state(const search::Subject& subject, std::string_view strategy,
                                               std::uint64_t seed, std::string_view objective) const {
  detail::Statement found = connection_->database.prepare(
      "SELECT session.id, search_state FROM session JOIN subject ON subject.id = subject_id"
      " JOIN kernel ON kernel.id = kernel_id"
      " WHERE kernel.hash = ? AND problem_key = ? AND gpu_key = ? AND cache_state = ? AND strategy = ?"
      " AND seed = ? AND objective = ? AND search_state IS NOT NULL ORDER BY session.id DESC LIMIT 1");
  found.bind(subject.kernel_hash).bind(detail::canonical_key(subject.problem)).bind(subject.gpu.key());
  found.bind(search::to_string(subject.cache)).bind(strategy).bind(seed).bind(objective);
  if (!found.step()) return std::nullopt;
  const std::int64_t session_id = found.integer();
  return SearchState{session_id, found.text()};
}

void Store::set_preferred(std::int64_t measurement_id) {
  detail::Database& database = connection_->database;
  detail::Transaction transaction(database);
  database
      .prepare(
          "UPDATE measurement SET preferred = NULL WHERE preferred IS NOT NULL AND configuration_id IN"
          " (SELECT id FROM configuration WHERE subject_id = (SELECT subject_id FROM configuration"
          " JOIN measurement ON configuration_id = configuration.id WHERE measurement.id = ?))")
      .bind(measurement_id)
      .run();
  database.prepare("UPDATE measurement SET preferred = 1 WHERE id = ?").bind(measurement_id).run();
  expect_changed(database, "measurement", measurement_id);
  transaction.commit();
}

search::Counters Store::counters(std::int64_t measurement_id) const {
  return detail::sound_counters(connection_->database, measurement_id);
}

std::vector<StoredMeasurement> Store::measurements(const search::Subject& subject, bool with_counters) const {
  detail::Database& database = connection_->database;
  detail::Statement statement = database.prepare(detail::measurement_query(
      "measurement.id IN (SELECT max(measurement.id) FROM subject JOIN kernel ON kernel.id = kernel_id"
      " JOIN configuration ON configuration.subject_id = subject.id"
      " JOIN measurement ON configuration_id = configuration.id"
      " WHERE kernel.hash = ? AND problem_key = ? AND gpu_key = ? AND cache_state = ?"
      " GROUP BY configuration.key) ORDER BY measurement.id"));
  statement.bind(subject.kernel_hash).bind(detail::canonical_key(subject.problem)).bind(subject.gpu.key());
  statement.bind(search::to_string(subject.cache));
  return detail::sound_measurements(database, statement, with_counters);
}

std::vector<Session> Store::sessions() const {
  detail::Statement statement = connection_->database.prepare(fmt::format(
      "SELECT {} FROM {} ORDER BY session.id", detail::session_columns(), detail::kSessionTables));
  return detail::sound_sessions(connection_->database, statement);
}

std::optional<Session> Store::session(std::int64_t id) const {
  return detail::sound_session(connection_->database, id);
}

std::vector<StoredMeasurement> Store::session_measurements(std::int64_t session_id) const {
  detail::Database& database = connection_->database;
  detail::Statement statement =
      database.prepare(detail::measurement_query("measurement.session_id = ? ORDER BY measurement.id"));
  statement.bind(session_id);
  return detail::sound_measurements(database, statement);
}

std::vector<Winner> Store::winners(const std::string& kernel, const std::string& kernel_hash) const {
  detail::Database& database = connection_->database;
  detail::Statement statement = database.prepare(
      "SELECT winner.subject_id, winner.measurement_id FROM winner JOIN subject ON subject.id = "
      "winner.subject_id"
      " JOIN kernel ON kernel.id = kernel_id WHERE kernel.name = ? AND (? = '' OR kernel.hash = ?)"
      " ORDER BY winner.subject_id");
  statement.bind(kernel).bind(kernel_hash).bind(kernel_hash);
  std::vector<Winner> all;
  while (statement.step()) {
    const std::int64_t subject = statement.integer();
    const std::int64_t measurement = statement.integer();
    std::optional<Winner> winner =
        winner_of(database, subject, detail::sound_measurement(database, measurement));
    if (!winner) winner = winner_of(database, subject, detail::sound_winner(database, subject));
    if (winner) all.push_back(std::move(*winner));
  }
  return all;
}

std::vector<Winner> Store::winners(const std::string& kernel, const std::string& kernel_hash,
                                   const search::Objective& objective) const {
  std::vector<Winner> all = winners(kernel, kernel_hash);
  if (objective.is_time()) return all;
  detail::Database& database = connection_->database;
  std::vector<Winner> rated;
  for (const Winner& fastest : all) {
    std::optional<double> least;
    std::optional<StoredMeasurement> best;
    for (const StoredMeasurement& row : measurements(fastest.subject)) {
      if (row.measurement.status != search::Status::kMeasured) continue;
      const std::optional<double> value = objective.value(row.measurement);
      if (!value || (least && *least <= *value)) continue;
      least = value;
      best = row;
    }
    if (!best) continue;
    if (std::optional<Winner> winner = winner_of(database, subject_of_row(database, best->id), best))
      rated.push_back(std::move(*winner));
  }
  return rated;
}

void Store::set_roofs(const search::GpuDescription& gpu, const std::vector<search::RoofReading>& readings) {
  detail::Database& database = connection_->database;
  detail::Transaction transaction(database);
  database.prepare("DELETE FROM roof WHERE gpu_key = ?").bind(gpu.key()).run();
  for (const search::RoofReading& reading : readings) {
    detail::insert_roof(database, gpu.key(), reading);
  }
  transaction.commit();
}

std::vector<search::RoofReading> Store::roofs(const search::GpuDescription& gpu) const {
  return detail::read_roofs(connection_->database, gpu.key());
}

Totals Store::totals() const {
  detail::Statement statement = connection_->database.prepare(
      "SELECT (SELECT count(DISTINCT name) FROM kernel), (SELECT count(DISTINCT key) FROM gpu),"
      " (SELECT count(*) FROM subject), (SELECT count(*) FROM session), (SELECT count(*) FROM measurement)");
  statement.step();
  Totals totals;
  totals.kernels = statement.natural();
  totals.gpus = statement.natural();
  totals.subjects = statement.natural();
  totals.sessions = statement.natural();
  totals.measurements = statement.natural();
  totals.schema_version = static_cast<int>(connection_->database.integer("PRAGMA user_version"));
  return totals;
}

std::vector<DamagedRow> Store::damage() const { return detail::find_damage(connection_->database); }

}  // namespace warptune::db
