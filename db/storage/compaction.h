#pragma once

#include <cstdint>

#include "db/compaction.h"
#include "db/storage/sqlite.h"

namespace warptune::db::storage {

/// `Store::compact`. `free_bytes` is the free space of the disk.
Compaction compact(Database& database, std::uint64_t free_bytes);
/// The free space of the disk on which the database lies, for this user.
std::uint64_t free_bytes_beside(const Database& database);

}  // namespace warptune::db::storage
