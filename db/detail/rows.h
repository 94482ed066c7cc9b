#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/detail/sqlite.h"
#include "db/store.h"

namespace warptune::db::detail {

/// What to select for `read_measurement`, of `measurement` joined with `configuration`.
const std::string& measurement_columns();
/// What to select for `read_session`, of `kSessionTables`.
const std::string& session_columns();
/// `session` joined with `subject`, `kernel` and `gpu`.
extern const char* const kSessionTables;

/// Finds or adds a row and returns its id.
std::int64_t gpu_id(Database& database, const search::GpuDescription& gpu);
std::int64_t subject_id(Database& database, const search::Subject& subject);
std::int64_t configuration_id(Database& database, std::int64_t subject, const search::NamedValues& values);

std::int64_t insert_session(Database& database, const Session& session);
void update_session_roofs(Database& database, std::int64_t session, const search::Roofs& roofs);
std::int64_t insert_measurement(Database& database, std::int64_t session, std::int64_t configuration,
                                const search::Measurement& measurement);
void insert_counters(Database& database, std::int64_t measurement, const search::Counters& counters);
void insert_roof(Database& database, const std::string& gpu_key, const search::RoofReading& reading);

/// Reads a row of `session_columns()`. Throws `base::InputError` where the database is damaged.
Session read_session(Statement& statement);
/// Reads a row of `measurement_columns()`, without counters. Throws likewise.
StoredMeasurement read_measurement(Statement& statement);
search::Counters read_counters(Database& database, std::int64_t measurement);
/// Reads the rows of a statement whose first column is `gpu.description`. Throws likewise.
std::vector<search::GpuDescription> read_gpus(Statement& statement);
/// The stored roofs of a GPU, by name.
std::vector<search::RoofReading> read_roofs(Database& database, const std::string& gpu_key);

}  // namespace warptune::db::detail
