#pragma once

#include <filesystem>

#include "db/storage/sqlite.h"

namespace warptune::db::storage::merging {

/// Opens the source of a merge as every command opens a database. Throws `base::InputError` if it cannot be
/// merged into the file `target`, which may be missing.
Database opened_source(const std::filesystem::path& target, const std::filesystem::path& path);

/// The database `source` under the name `other`, for reading only. `source` must stay open: SQLite keeps the
/// files of its write-ahead log then, and cannot make them for a database that is attached for reading only.
class AttachedDatabase {
 public:
  AttachedDatabase(Database& database, const Database& source);
  AttachedDatabase(const AttachedDatabase&) = delete;
  AttachedDatabase& operator=(const AttachedDatabase&) = delete;
  ~AttachedDatabase();

 private:
  Database& database_;
};

}  // namespace warptune::db::storage::merging
