#pragma once

#include <string>

#include "db/detail/sqlite.h"
#include "db/store.h"

namespace warptune::db::detail {

/// Column lists and the readers and binders that follow their order.
extern const char* const kMeasurementColumns;  ///< Of `measurement` joined with `configuration`.
extern const char* const kSessionColumns;      ///< Of `session` joined with `subject`, `kernel` and `gpu`.
extern const char* const kSessionTables;       ///< That join.

/// Finds or adds a row and returns its id.
std::int64_t gpu_id(Database& database, const search::GpuDescription& gpu);
std::int64_t subject_id(Database& database, const search::Subject& subject);
std::int64_t configuration_id(Database& database, std::int64_t subject, const search::NamedValues& values);

std::int64_t insert_session(Database& database, const Session& session);
std::int64_t insert_measurement(Database& database, std::int64_t session, std::int64_t configuration,
                                const search::Measurement& measurement);
void insert_counters(Database& database, std::int64_t measurement, const search::Counters& counters);

/// Reads a row of `kSessionColumns` from `kSessionTables`.
Session read_session(Statement& statement);
/// Reads a row of `kMeasurementColumns`, without counters.
StoredMeasurement read_measurement(Statement& statement);
search::Counters read_counters(Database& database, std::int64_t measurement);

}  // namespace warptune::db::detail
