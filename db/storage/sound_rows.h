#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/storage/row_reader.h"
#include "db/storage/sqlite.h"
#include "db/store.h"

/// Rows that fit their checksums (`checksums.h`). Those that do not are left out, which the log says once a
/// connection.
namespace warptune::db::storage {

/// The rows of a `measurement_query`. A row whose counters alone do not fit comes without counters.
std::vector<StoredMeasurement> sound_measurements(Database& database, Statement& statement,
                                                  bool with_counters = true);
std::optional<StoredMeasurement> sound_measurement(Database& database, std::int64_t id);
model::Counters sound_counters(Database& database, std::int64_t measurement);
/// Of a query of `session_columns()`.
std::vector<Session> sound_sessions(Database& database, Statement& statement);
std::optional<Session> sound_session(Database& database, std::int64_t id);
/// What the view `winner` would say of a workload without the rows that do not fit.
std::optional<StoredMeasurement> sound_winner(Database& database, std::int64_t workload);

/// Replaces the counters of a measurement with their checksum. Throws `base::InternalError` where there is no
/// such measurement.
void replace_counters(Database& database, std::int64_t measurement, const model::Counters& counters);
/// Runs `change`, which changes a row. The row gets a new checksum only where it had fitted its old one: a
/// damaged row must never look sound afterwards.
template <class Change>
void change_measurement(Database& database, std::int64_t id, Change change);
template <class Change>
void change_session(Database& database, std::int64_t id, Change change);

/// Every row gets the checksum of what it says now.
void add_checksums(Database& database);
/// Looks at the whole file.
std::vector<DamagedRow> find_damage(Database& database);

void refresh_measurement_checksum(Database& database, std::int64_t id);
void refresh_session_checksum(Database& database, std::int64_t id);
bool is_sound_measurement(Database& database, std::int64_t id);

template <class Change>
void change_measurement(Database& database, std::int64_t id, Change change) {
  Transaction transaction(database);
  const bool was_sound = is_sound_measurement(database, id);
  change();
  if (was_sound) refresh_measurement_checksum(database, id);
  transaction.commit();
}

template <class Change>
void change_session(Database& database, std::int64_t id, Change change) {
  Transaction transaction(database);
  const bool was_sound = sound_session(database, id).has_value();
  change();
  if (was_sound) refresh_session_checksum(database, id);
  transaction.commit();
}

}  // namespace warptune::db::storage
