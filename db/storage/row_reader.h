// Reading the rows of the store's tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage {

/// A row as it was read, and the checksum that is stored with it: nothing where an earlier warptune wrote it
/// beside this one.
struct ChecksummedMeasurement {
  StoredMeasurement stored;
  std::int64_t workload = 0;
  std::optional<std::int64_t> checksum;
  std::optional<std::int64_t> counter_checksum;
};
struct ChecksummedSession {
  Session session;
  std::int64_t workload = 0;
  std::string gpu;  ///< Its description as stored.
  std::optional<std::int64_t> checksum;
};

/// What to select for `read_measurement`, of `measurement` joined with `configuration`.
const std::string& measurement_columns();
/// What to select for `read_session`, of `kSessionTables`.
const std::string& session_columns();
/// `session` joined with `workload`, `kernel` and `gpu`.
extern const char* const kSessionTables;

/// Reads a row of `session_columns()`. Throws `base::InputError` where the database is damaged.
ChecksummedSession read_session(Statement& statement);
/// Reads a row of `measurement_columns()`, without counters. Throws likewise.
ChecksummedMeasurement read_measurement(Statement& statement);
model::Counters read_counters(Database& database, std::int64_t measurement);
/// Reads the rows of a statement whose first column is `gpu.description`. Throws likewise.
std::vector<model::GpuDescription> read_gpus(Statement& statement);
/// The stored roofs of a GPU that fit their checksums, by name.
std::vector<model::RoofReading> read_roofs(Database& database, const std::string& gpu_key);

}  // namespace warptune::db::storage
