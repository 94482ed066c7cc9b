#pragma once

#include <filesystem>
#include <string>

#include "db/storage/sqlite.h"

namespace warptune::db::storage::merging {

/// Opens the source of a merge as every command opens a database. Throws `base::InputError` if it cannot be
/// merged into `target`.
Database opened_source(const Database& target, const std::filesystem::path& path);

/// A database under the name `other`, for reading only.
class AttachedDatabase {
 public:
  AttachedDatabase(Database& database, const std::filesystem::path& path);
  AttachedDatabase(const AttachedDatabase&) = delete;
  AttachedDatabase& operator=(const AttachedDatabase&) = delete;
  ~AttachedDatabase();

 private:
  void attach(const std::string& uri);

  Database& database_;
};

}  // namespace warptune::db::storage::merging
