#pragma once

#include <cstdint>

#include "db/storage/sqlite.h"

/// How rows are recognised in other databases (`schemas/merging.h`).
namespace warptune::db::storage::merging {

/// The id that a session had in the file in which it was made. The checksums of its measurements cover it, so
/// that they remain the same in every database.
std::int64_t origin_id_of_session(Database& database, std::int64_t session);

/// Gives an origin to each session that has none. For the migration to version 10. The origin is a hash of
/// what never changes about a session: how it began, its GPU, and how long its first evaluation took. Two
/// copies of an older file therefore give the same origin to the same session.
void name_origins(Database& database);

/// Stores the checksum of each search state that has none. For the migration to version 10.
void add_search_checksums(Database& database);

}  // namespace warptune::db::storage::merging
