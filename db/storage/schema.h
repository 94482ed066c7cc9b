#pragma once

#include <filesystem>
#include <span>

#include "db/storage/sqlite.h"

namespace warptune::db::storage {

/// Statements that lead from one schema version to the next; the i-th makes version i + 1.
std::span<const char* const> migrations();

/// Opens (and makes or migrates) a database for writing. The schema is made in one transaction: a process
/// that is killed meanwhile leaves an empty file, or one that SQLite makes empty again by the journal beside
/// it, and the next one makes it. `steps` are `migrations()` outside of tests.
Database open_for_writing(const std::filesystem::path& path,
                          std::span<const char* const> steps = migrations());

/// Opens for reading only; an older schema is migrated first, and what a killed process left unfinished is
/// taken back.
Database open_for_reading(const std::filesystem::path& path);

}  // namespace warptune::db::storage
