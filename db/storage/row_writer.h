// Writing the rows of the store's tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage {

/// Finds the GPU's row in the table `gpu`, or adds it. Returns the row's id. The next two functions do the
/// same in the tables `workload` and `configuration`.
std::int64_t gpu_id(Database& database, const model::GpuDescription& gpu);
std::int64_t workload_id(Database& database, const model::Workload& workload);
std::int64_t configuration_id(Database& database, std::int64_t workload, const model::NamedValues& values);

std::int64_t insert_session(Database& database, const Session& session);
void update_session_roofs(Database& database, std::int64_t session, const model::Roofs& roofs);
/// The id of the workload that a session belongs to. Throws `base::InternalError` if the session does not
/// exist.
std::int64_t workload_of_session(Database& database, std::int64_t session);
/// The checksum of a workload's row, as `workload_checksum_of` computes it; 0 if the row does not exist.
std::uint64_t workload_checksum(Database& database, std::int64_t workload);

/// Stores a measurement with its configuration, its counters and the checksums of both, and returns its id.
/// `origin_id` is its number in the file in which it was made, if that is not this file.
std::int64_t insert_measurement(Database& database, std::int64_t session,
                                const model::Measurement& measurement,
                                std::optional<std::int64_t> origin_id = std::nullopt);
void insert_counters(Database& database, std::int64_t measurement, const model::Counters& counters);
void insert_roof(Database& database, const std::string& gpu_key, const model::RoofReading& reading,
                 std::int64_t revision);

}  // namespace warptune::db::storage
