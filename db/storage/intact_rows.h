#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/storage/row_reader.h"
#include "db/storage/sqlite.h"
#include "db/store.h"

/// Access to the rows that fit their checksums (`checksums.h`). Other rows are left out. For each connection,
/// the log reports the first row that was left out.
namespace warptune::db::storage {

/// Reads the rows of a `measurement_query`. If only the counters of a row do not fit their checksum, the row
/// is returned without counters. If `read` is not null, the number of rows is added to it, including damaged
/// ones.
std::vector<StoredMeasurement> intact_measurements(Database& database, Statement& statement,
                                                   bool with_counters = true, std::size_t* read = nullptr);
std::optional<StoredMeasurement> intact_measurement(Database& database, std::int64_t id);
model::Counters intact_counters(Database& database, std::int64_t measurement);
/// Reads the rows that a query of `session_columns()` gives.
std::vector<Session> intact_sessions(Database& database, Statement& statement);
std::optional<Session> intact_session(Database& database, std::int64_t id);
/// The winner of a workload among its intact rows, by the rules of the view `winner`.
std::optional<StoredMeasurement> intact_winner(Database& database, std::int64_t workload);

/// Replaces the counters of a measurement and their checksum. Throws `base::InternalError` if the measurement
/// does not exist.
void replace_counters(Database& database, std::int64_t measurement, const model::Counters& counters);
/// Runs `change`, which changes a row, in a transaction. The row gets a new checksum only if it fitted its
/// old one, so that a damaged row never counts as intact afterwards.
template <class Change>
void change_measurement(Database& database, std::int64_t id, Change change);
template <class Change>
void change_session(Database& database, std::int64_t id, Change change);

/// Computes the checksum of each row from its present content, and stores it. For the migration that
/// introduced checksums.
void add_checksums(Database& database);
/// Computes the checksums of replayed rows again, after a migration has set their column `replayed`, which
/// the checksum covers. A row that did not fit its checksum before the migration keeps the old checksum.
void refresh_replayed_checksums(Database& database);
/// What is wrong with a row, its counters included; empty if nothing is. Throws `base::InputError` if the row
/// cannot be read.
std::string problem_of_measurement(Database& database, std::int64_t id);
std::string problem_of_session(Database& database, std::int64_t id);

void refresh_measurement_checksum(Database& database, std::int64_t id);
void refresh_session_checksum(Database& database, std::int64_t id);
/// Whether the row fits its checksum. Its counters are not checked. A row without a checksum fits. Throws
/// `base::InputError` if the row cannot be read.
bool is_intact_measurement(Database& database, std::int64_t id);
/// Whether the row and its counters can be read and fit their checksums. A row without a checksum fits.
bool is_whole_measurement(Database& database, std::int64_t id);
bool is_whole_session(Database& database, std::int64_t id);

template <class Change>
void change_measurement(Database& database, std::int64_t id, Change change) {
  Transaction transaction(database);
  const bool was_intact = is_intact_measurement(database, id);
  change();
  if (was_intact) refresh_measurement_checksum(database, id);
  transaction.commit();
}

template <class Change>
void change_session(Database& database, std::int64_t id, Change change) {
  Transaction transaction(database);
  const bool was_intact = intact_session(database, id).has_value();
  change();
  if (was_intact) refresh_session_checksum(database, id);
  transaction.commit();
}

}  // namespace warptune::db::storage
