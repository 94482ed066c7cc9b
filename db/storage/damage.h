#pragma once

#include <vector>

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage {

/// Verifies everything in the file and returns what is damaged:
/// * the structure of the file, its references between tables, and the text of its schema;
/// * the checksums of sessions, measurements, counters and roofs. A missing checksum is a problem, too;
/// * values that are stored twice, or are derived from other rows.
/// Not verified is `search_state`, which the code that reads it checks.
std::vector<DamagedRow> find_damage(Database& database);

}  // namespace warptune::db::storage
