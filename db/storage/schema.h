#pragma once

#include <filesystem>
#include <span>

#include "db/storage/sqlite.h"

namespace warptune::db::storage {

/// The migrations of the schema, as SQL. Element i changes version i to version i + 1.
std::span<const char* const> migrations();

/// Gives an empty database the tables, indices, views and triggers of the newest schema. The first call of a
/// process runs all steps, which take some milliseconds. Later calls run the resulting statements.
void make_newest_schema(Database& database);

/// Opens a database for writing. A missing one is made, and an older one is migrated. The schema is made in
/// one transaction. If the process is killed during this transaction, the file is empty, or SQLite empties it
/// again with its journal. The next process then makes the schema. Only tests give other `steps` than
/// `migrations()`.
Database open_for_writing(const std::filesystem::path& path,
                          std::span<const char* const> steps = migrations());

/// Makes a database at a path where there is none. It is not flushed to the disk, and its journal is in
/// memory. So changes can be rolled back, but after a crash or a loss of power the file is useless.
Database make_scratch(const std::filesystem::path& path);

/// Opens a database for reading only. An older schema is migrated first, and the unfinished change of a
/// killed process is undone.
Database open_for_reading(const std::filesystem::path& path);

/// Opens a database for reading that others keep. It is never written and never migrated: an older schema is
/// refused. If its folder cannot be written, it is read without locks.
Database open_shared(const std::filesystem::path& path);

}  // namespace warptune::db::storage
