// Keeps claims in the tables `claimant` and `claim`.
//
// A claim and the check for rows of others are one transaction. Therefore a configuration is never claimed
// whose row another session has stored meanwhile. `PRAGMA data_version` says whether another connection has
// changed the file (https://sqlite.org/pragma.html#pragma_data_version). A session that is alone reads
// nothing else.
#include "db/claims/claims.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/random.h"
#include "db/claims/process_identity.h"
#include "db/claims/renewal.h"
#include "db/recordings/values_json.h"
#include "db/storage/intact_rows.h"
#include "db/storage/measurement_queries.h"
#include "db/storage/sqlite.h"
#include "db/store_connection.h"

namespace warptune::db::claims {

namespace {

std::string key_of(const ClaimScope& scope) {
  const model::Workload& workload = scope.workload;
  return base::hash_hex(fmt::format(
      "{}\n{}\n{}\n{}\n{}\n{}", workload.kernel_hash, recordings::canonical_key(workload.problem),
      workload.gpu.key(), model::to_string(workload.cache), static_cast<int>(scope.source), scope.objective));
}

}  // namespace

Claims::Claims(Store& store, const ClaimScope& scope, std::function<Configurations()> running,
               const ClaimTimes& times)
    : store_(store),
      workload_(scope.workload),
      scope_(key_of(scope)),
      counters_(scope.counters),
      running_(std::move(running)),
      times_(times),
      id_(static_cast<std::int64_t>(base::unforeseen_seed() >> 1)) {
  newest_row_ = store_.connection_->database.integer("SELECT coalesce(max(id), 0) FROM measurement");
}

Claims::~Claims() {
  try {
    leave();
  } catch (const base::Error& error) {
    base::log_debug(fmt::format("the claims of the session end with its process: {}", error.what()));
  }
}

void Claims::enter() {
  if (entered_) return;
  has_changed();
  storage::Transaction transaction(store_.connection_->database);
  publishes_ = true;
  write_entry();
  read_others();
  remove_ended();
  remove_ended_elsewhere();
  transaction.commit();
  entered_ = true;
  renewal_ = std::make_unique<Renewal>(store_.connection_->database.path(), id_, times_.renewal);
  looked_ = renewed_ = Clock::now();
}

void Claims::promise_to_look() {
  looks_ = true;
  looked_ = {};
}

void Claims::stop_looking() {
  looks_ = false;
  if (entered_ && !publishes_) publish();
}

// Whether another connection has changed the file since the last call.
bool Claims::has_changed() {
  const storage::CachedStatement query = store_.connection_->database.cached_statement("PRAGMA data_version");
  query->step();
  const std::int64_t version = query->integer();
  return std::exchange(version_, version) != version;
}

void Claims::write_entry() {
  store_.connection_->database
      .prepare("INSERT INTO claimant(id, scope, process, publishes, renewals) VALUES(?, ?, ?, ?, 0)")
      .bind(id_)
      .bind(scope_)
      .bind(process_identity())
      .bind(publishes_)
      .run();
}

// The caller is in a transaction. Another session has removed the entry if this one was silent for too long,
// for example because its process was stopped.
void Claims::renew() {
  storage::Database& database = store_.connection_->database;
  renewed_ = Clock::now();
  {
    const storage::CachedStatement update =
        database.cached_statement("UPDATE claimant SET renewals = renewals + 1, publishes = ? WHERE id = ?");
    update->bind(publishes_).bind(id_).step();
  }
  if (database.changes() == 1) return;
  write_entry();
  for (const model::NamedValues& configuration : running_())
    try_claim(recordings::canonical_key(configuration));
}

void Claims::read_others() {
  storage::Statement query = store_.connection_->database.prepare(
      "SELECT id, process, publishes, renewals FROM claimant WHERE scope = ? AND id <> ?");
  query.bind(scope_).bind(id_);
  const Clock::time_point now = Clock::now();
  std::map<std::int64_t, Other> found;
  while (query.step()) {
    const std::int64_t id = query.integer();
    Other other{query.text(), query.boolean(), 0, now, now};
    other.renewals = query.integer();
    const auto known = others_.find(id);
    if (known != others_.end()) {
      other.seen = known->second.seen;
      if (known->second.renewals == other.renewals) other.renewed = known->second.renewed;
    }
    found.emplace(id, std::move(other));
  }
  others_ = std::move(found);
}

// Removes the entries of ended and of silent processes, and so their claims. Returns whether there were any.
bool Claims::remove_ended() {
  storage::Database& database = store_.connection_->database;
  const std::size_t before = others_.size();
  const Clock::time_point now = Clock::now();
  std::erase_if(others_, [&](const auto& entry) {
    const auto& [id, other] = entry;
    if (now - other.renewed < times_.silence && !has_ended(other.process)) return false;
    database.prepare("DELETE FROM claimant WHERE id = ? AND renewals = ?")
        .bind(id)
        .bind(other.renewals)
        .run();
    return true;
  });
  return others_.size() < before;
}

// Nobody looks at the entries of a killed session of another scope, until one of that scope enters.
void Claims::remove_ended_elsewhere() {
  storage::Database& database = store_.connection_->database;
  std::vector<std::int64_t> ended;
  storage::Statement query = database.prepare("SELECT id, process FROM claimant WHERE scope <> ?");
  query.bind(scope_);
  while (query.step()) {
    const std::int64_t id = query.integer();
    if (has_ended(query.text())) ended.push_back(id);
  }
  for (const std::int64_t id : ended) database.prepare("DELETE FROM claimant WHERE id = ?").bind(id).run();
}

bool Claims::look() {
  const Clock::time_point now = Clock::now();
  if (!entered_ || now - looked_ < times_.poll) return false;
  looked_ = now;
  bool changed = has_changed();
  if (changed) read_others();
  changed = remove_ended() || changed;
  const bool alone = others_.empty();
  if (publishes_ && alone && looks_) {
    stop_publishing();
    return true;
  }
  if (!publishes_ && !alone) {
    publish();
    return true;
  }
  if (publishes_ && now - renewed_ >= times_.renewal) {
    storage::Transaction transaction(store_.connection_->database);
    renew();
    transaction.commit();
  }
  return changed && publishes_;
}

void Claims::publish() {
  storage::Transaction transaction(store_.connection_->database);
  publishes_ = true;
  renew();
  for (const model::NamedValues& configuration : running_())
    try_claim(recordings::canonical_key(configuration));
  transaction.commit();
}

// Nobody may have entered since `others_` was read.
void Claims::stop_publishing() {
  storage::Database& database = store_.connection_->database;
  storage::Transaction transaction(database);
  read_others();
  note_new_rows();
  if (others_.empty()) {
    database.prepare("DELETE FROM claim WHERE claimant_id = ?").bind(id_).run();
    publishes_ = false;
    renew();
  }
  transaction.commit();
}

// Whether the claim is this session's afterwards. The caller is in a transaction.
bool Claims::try_claim(const std::string& key) {
  storage::Database& database = store_.connection_->database;
  const storage::CachedStatement insert = database.cached_statement(
      "INSERT INTO claim(scope, configuration, claimant_id) VALUES(?, ?, ?) ON CONFLICT DO NOTHING");
  insert->bind(scope_).bind(key).bind(id_).step();
  if (database.changes() == 1) return true;
  const storage::CachedStatement owner =
      database.cached_statement("SELECT claimant_id FROM claim WHERE scope = ? AND configuration = ?");
  owner->bind(scope_).bind(key);
  return owner->step() && owner->integer() == id_;
}

std::vector<bool> Claims::claim(const Configurations& configurations) {
  std::vector<bool> granted(configurations.size(), true);
  enter();
  if (!publishes_) return granted;
  storage::Transaction transaction(store_.connection_->database);
  renew();
  note_new_rows();
  std::set<std::string> evaluated;
  for (const StoredMeasurement& row : new_rows_)
    evaluated.insert(recordings::canonical_key(row.measurement.configuration));
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const std::string key = recordings::canonical_key(configurations[i]);
    granted[i] = !evaluated.contains(key) && try_claim(key);
  }
  transaction.commit();
  return granted;
}

void Claims::release(const model::NamedValues& configuration) {
  if (!publishes_) return;
  const storage::CachedStatement remove = store_.connection_->database.cached_statement(
      "DELETE FROM claim WHERE scope = ? AND configuration = ? AND claimant_id = ?");
  remove->bind(scope_).bind(recordings::canonical_key(configuration)).bind(id_).step();
}

void Claims::note_new_rows() {
  storage::Database& database = store_.connection_->database;
  const std::int64_t newest = database.integer("SELECT coalesce(max(id), 0) FROM measurement");
  if (newest <= newest_row_) return;
  const std::vector<std::int64_t> workloads = storage::workload_ids(database, workload_);
  if (!workloads.empty()) {
    // The `+` keeps SQLite from beginning with the configurations of the workload, of which there may be
    // many.
    storage::Statement query = database.prepare(storage::measurement_query(
        fmt::format("measurement.id > ? AND measurement.id <= ? AND measurement.session_id <> ?"
                    " AND +configuration.workload_id IN ({}) ORDER BY measurement.id",
                    fmt::join(workloads, ", "))));
    query.bind(newest_row_).bind(newest).bind(session_id_);
    for (StoredMeasurement& row : storage::intact_measurements(database, query, counters_))
      new_rows_.push_back(std::move(row));
  }
  newest_row_ = newest;
}

std::vector<StoredMeasurement> Claims::take_rows() {
  if (publishes_) note_new_rows();
  return std::exchange(new_rows_, {});
}

bool Claims::is_claimed_by_other(const model::NamedValues& configuration) {
  const storage::CachedStatement owner = store_.connection_->database.cached_statement(
      "SELECT 1 FROM claim WHERE scope = ? AND configuration = ? AND claimant_id <> ?");
  return owner->bind(scope_).bind(recordings::canonical_key(configuration)).bind(id_).step();
}

bool Claims::must_wait() const {
  const Clock::time_point now = Clock::now();
  for (const auto& [id, other] : others_) {
    if (!other.publishes && now - other.seen < times_.answer) return true;
  }
  return false;
}

void Claims::leave() {
  if (!std::exchange(entered_, false)) return;
  publishes_ = false;
  renewal_.reset();
  store_.connection_->database.prepare("DELETE FROM claimant WHERE id = ?").bind(id_).run();
}

}  // namespace warptune::db::claims
