// Reading the rows of the store's tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage {

/// A row and the checksum that is stored with it. The checksum is missing if an earlier warptune wrote the
/// row into an already migrated database.
struct ChecksummedMeasurement {
  StoredMeasurement stored;
  std::int64_t workload = 0;  ///< The id of the workload's row.
  std::optional<std::int64_t> checksum;
  std::optional<std::int64_t> counter_checksum;
};
struct ChecksummedSession {
  Session session;
  std::int64_t workload = 0;
  std::string gpu;  ///< The GPU's description as stored.
  std::optional<std::int64_t> checksum;
};

/// The columns that `read_measurement` needs, from `measurement` joined with `configuration`.
const std::string& measurement_columns();
/// The columns that `read_session` needs, from `kSessionTables`.
const std::string& session_columns();
/// `session` joined with `workload`, `kernel` and `gpu`.
extern const char* const kSessionTables;

/// Reads a row that has `session_columns()`. Throws `base::InputError` if the database is damaged.
ChecksummedSession read_session(Statement& statement);
/// Reads a row that has `measurement_columns()`, without its counters. Throws `base::InputError` if the
/// database is damaged.
ChecksummedMeasurement read_measurement(Statement& statement);
/// The columns that `read_resources` needs, from `measurement`.
const std::string& resource_columns();
/// Reads the next columns of a row, which are `resource_columns()`.
void read_resources(Statement& statement, model::ResourceUse& resources);
model::Counters read_counters(Database& database, std::int64_t measurement);
/// Reads the rows of a statement whose first column is `gpu.description`. Throws `base::InputError` if the
/// database is damaged.
std::vector<model::GpuDescription> read_gpus(Statement& statement);
/// The stored roofs of a GPU that fit their checksums, ordered by name.
std::vector<model::RoofReading> read_roofs(Database& database, const std::string& gpu_key);

}  // namespace warptune::db::storage
