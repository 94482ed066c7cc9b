#include "db/store.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "db/compaction.h"
#include "db/recordings/values_json.h"
#include "db/storage/backup.h"
#include "db/storage/checksums.h"
#include "db/storage/compaction.h"
#include "db/storage/database_file.h"
#include "db/storage/intact_rows.h"
#include "db/storage/merging/attached_database.h"
#include "db/storage/merging/merge.h"
#include "db/storage/merging/owned_rows.h"
#include "db/storage/row_reader.h"
#include "db/storage/row_writer.h"
#include "db/storage/schema.h"
#include "db/storage/sqlite.h"
#include "db/store_connection.h"
#include "model/fields.h"

namespace warptune::db {

namespace {

void expect_changed(const storage::Database& database, const char* what, std::int64_t id) {
  if (database.changes() == 0) throw base::InternalError(fmt::format("the database has no {} {}", what, id));
}

}  // namespace

Store::Store(const std::filesystem::path& path)
    : connection_(std::make_unique<Connection>(Connection{storage::open_for_writing(path)})) {}

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

Store Store::open_existing(const std::filesystem::path& path) {
  return Store(std::make_unique<Connection>(Connection{storage::open_for_reading(path)}));
}

Store Store::open_shared(const std::filesystem::path& path) {
  return Store(std::make_unique<Connection>(Connection{storage::open_shared(path)}));
}

bool Store::exists(const std::filesystem::path& path) {
  return storage::holds_database(path, storage::migrations().size());
}

Store::Batch::Batch(Store& store)
    : transaction_(std::make_unique<storage::Transaction>(store.connection_->database)) {}
Store::Batch::~Batch() = default;
void Store::Batch::commit() { transaction_->commit(); }

Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

std::int64_t Store::begin_session(const Session& session) {
  storage::Transaction transaction(connection_->database);
  const std::int64_t id = storage::insert_session(connection_->database, session);
  transaction.commit();
  return id;
}

void Store::finish_session(std::int64_t id, std::int64_t finished_ms) {
  storage::Database& database = connection_->database;
  storage::change_session(database, id, [&] {
    database.prepare("UPDATE session SET finished_ms = ?, revision = revision + 1 WHERE id = ?")
        .bind(finished_ms)
        .bind(id)
        .run();
    expect_changed(database, "session", id);
  });
}

void Store::set_session_roofs(std::int64_t id, const model::Roofs& roofs) {
  storage::Database& database = connection_->database;
  storage::change_session(database, id, [&] {
    storage::update_session_roofs(database, id, roofs);
    expect_changed(database, "session", id);
  });
}

std::int64_t Store::add_measurement(std::int64_t session_id, const model::Measurement& measurement) {
  storage::Database& database = connection_->database;
  storage::Transaction transaction(database);
  const std::int64_t id = storage::insert_measurement(database, session_id, measurement);
  transaction.commit();
  return id;
}

void Store::set_counters(std::int64_t measurement_id, const model::Counters& counters) {
  storage::Database& database = connection_->database;
  storage::Transaction transaction(database);
  storage::replace_counters(database, measurement_id, counters);
  transaction.commit();
}

void Store::add_counters(std::int64_t measurement_id, const model::Counters& counters) {
  storage::Database& database = connection_->database;
  storage::Transaction transaction(database);
  model::Counters all = storage::intact_counters(database, measurement_id);
  for (const auto& [name, value] : counters) all[name] = value;
  storage::replace_counters(database, measurement_id, all);
  transaction.commit();
}

void Store::set_time(std::int64_t measurement_id, const model::TimeSummary& time,
                     const std::vector<double>& samples_ns) {
  storage::Database& database = connection_->database;
  storage::change_measurement(database, measurement_id, [&] {
    database
        .prepare(
            "UPDATE measurement SET median_ns = ?, low_ns = ?, high_ns = ?, samples = ?, revision = revision "
            "+ 1,"
            " reason = iif(status = 'dropped', '', reason), status = iif(status = 'dropped', 'measured', "
            "status)"
            " WHERE id = ?")
        .bind(time.median_ns)
        .bind(model::or_nan(time.low_ns))
        .bind(model::or_nan(time.high_ns))
        .bind(samples_ns)
        .bind(measurement_id)
        .run();
    expect_changed(database, "measurement", measurement_id);
  });
}

// In `preferred`, 0 and NULL mean the same: the row is not the preferred one.
void Store::reject(std::int64_t measurement_id, const model::Rejection& rejection) {
  storage::Database& database = connection_->database;
  storage::change_measurement(database, measurement_id, [&] {
    database
        .prepare(
            "UPDATE measurement SET status = ?, reason = ?, preferred = 0, revision = revision + 1 WHERE id "
            "= ?")
        .bind(model::to_string(rejection.status))
        .bind(rejection.reason)
        .bind(measurement_id)
        .run();
    expect_changed(database, "measurement", measurement_id);
  });
}

void Store::set_search_state(std::int64_t session_id, std::string_view text) {
  storage::Database& database = connection_->database;
  storage::Transaction transaction(database);
  database
      .prepare(
          "UPDATE session SET search_state = NULL, search_checksum = NULL"
          " WHERE search_state IS NOT NULL AND id <= ?1"
          " AND (workload_id, strategy, seed, objective) ="
          " (SELECT workload_id, strategy, seed, objective FROM session WHERE id = ?1)")
      .bind(session_id)
      .run();
  if (!text.empty()) {
    database.prepare("UPDATE session SET search_state = ?, search_checksum = ? WHERE id = ?")
        .bind(text)
        .bind(storage::search_checksum_of(text))
        .bind(session_id)
        .run();
    expect_changed(database, "session", session_id);
  }
  transaction.commit();
}

std::optional<SearchState> Store::search_state(const model::Workload& workload, std::string_view strategy,
                                               std::uint64_t seed, std::string_view objective) const {
  storage::Statement found = connection_->database.prepare(
      "SELECT session.id, search_state, search_checksum FROM session JOIN workload ON workload.id = "
      "workload_id"
      " JOIN kernel ON kernel.id = kernel_id"
      " WHERE kernel.hash = ? AND problem_key = ? AND gpu_key = ? AND cache_state = ? AND strategy = ?"
      " AND seed = ? AND objective = ? AND search_state IS NOT NULL ORDER BY session.id DESC LIMIT 1");
  found.bind(workload.kernel_hash).bind(recordings::canonical_key(workload.problem)).bind(workload.gpu.key());
  found.bind(model::to_string(workload.cache)).bind(strategy).bind(seed).bind(objective);
  if (!found.step()) return std::nullopt;
  SearchState state;
  state.session_id = found.integer();
  state.text = found.text();
  // A damaged state is not used: the next session begins a new search with the stored rows.
  if (!found.next_is_null() && found.integer() != storage::search_checksum_of(state.text))
    return std::nullopt;
  return state;
}

// `chosen` is the number of the choice by which a row became the preferred one: 1 for the first choice of a
// workload (`db/storage/schemas/merging.h`). The condition `chosen > 0` lets SQLite use the index of these
// rows. If less than half of the numbers of an owner are left after a merge (`RowOwner::kChoices`), the
// numbers of the next owner are used, so that later choices stay later.
void Store::set_preferred(std::int64_t measurement_id) {
  storage::Database& database = connection_->database;
  storage::Transaction transaction(database);
  database
      .prepare(
          "UPDATE measurement SET preferred = NULL WHERE preferred IS NOT NULL AND configuration_id IN"
          " (SELECT id FROM configuration WHERE workload_id = (SELECT workload_id FROM configuration"
          " JOIN measurement ON configuration_id = configuration.id WHERE measurement.id = ?))")
      .bind(measurement_id)
      .run();
  database
      .prepare(
          "UPDATE measurement SET preferred = 1, chosen = 1 + (SELECT max(coalesce(max(row.chosen), 0),"
          "  (coalesce(max(row.chosen), 0) + ?1 / 2) / ?1 * ?1)"
          " FROM measurement AS row JOIN configuration AS of_row ON of_row.id = row.configuration_id"
          " WHERE row.chosen > 0 AND of_row.workload_id ="
          " (SELECT workload_id FROM configuration WHERE id = measurement.configuration_id)) WHERE id = ?2")
      .bind(RowOwner::kChoices)
      .bind(measurement_id)
      .run();
  expect_changed(database, "measurement", measurement_id);
  transaction.commit();
}

void Store::set_roofs(const model::GpuDescription& gpu, const std::vector<model::RoofReading>& readings) {
  storage::Database& database = connection_->database;
  storage::Transaction transaction(database);
  std::int64_t revision = 0;
  {
    storage::Statement known =
        database.prepare("SELECT coalesce(max(revision) + 1, 0) FROM roof WHERE gpu_key = ?");
    known.bind(gpu.key()).step();
    revision = known.integer();
  }
  database.prepare("DELETE FROM roof WHERE gpu_key = ?").bind(gpu.key()).run();
  for (const model::RoofReading& reading : readings) {
    storage::insert_roof(database, gpu.key(), reading, revision);
  }
  transaction.commit();
}

std::vector<model::RoofReading> Store::roofs(const model::GpuDescription& gpu) const {
  return storage::read_roofs(connection_->database, gpu.key());
}

MergeCounts Store::merge_owned(std::string_view database, const RowOwner& owner) {
  return storage::merging::merge_owned(connection_->database, database, owner);
}

MergeCounts Store::merge(const std::filesystem::path& source) {
  return storage::merging::merge(connection_->database, source);
}

void Store::require_mergeable(const std::filesystem::path& source, const std::filesystem::path& target) {
  storage::merging::opened_source(target, source);
}

Compaction Store::compact() {
  storage::Database& database = connection_->database;
  return storage::compact(database, storage::free_bytes_beside(database));
}

void Store::back_up(const std::filesystem::path& target) const {
  storage::back_up(connection_->database, target);
}

}  // namespace warptune::db
