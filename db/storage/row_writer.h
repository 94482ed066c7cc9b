// Writing the rows of the store's tables.
#pragma once

#include <cstdint>
#include <string>

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage {

/// Finds or adds a row and returns its id.
std::int64_t gpu_id(Database& database, const model::GpuDescription& gpu);
std::int64_t subject_id(Database& database, const model::Subject& subject);
std::int64_t configuration_id(Database& database, std::int64_t subject, const model::NamedValues& values);

std::int64_t insert_session(Database& database, const Session& session);
void update_session_roofs(Database& database, std::int64_t session, const model::Roofs& roofs);
/// The subject of a session. Throws `base::InternalError` where there is no such session.
std::int64_t subject_of_session(Database& database, std::int64_t session);
/// `mark_of` a subject; 0 where there is none.
std::uint64_t mark_of_subject(Database& database, std::int64_t subject);

/// With the configuration, the counters and the checksums of both.
std::int64_t insert_measurement(Database& database, std::int64_t session,
                                const model::Measurement& measurement);
void insert_counters(Database& database, std::int64_t measurement, const model::Counters& counters);
void insert_roof(Database& database, const std::string& gpu_key, const model::RoofReading& reading);

}  // namespace warptune::db::storage
