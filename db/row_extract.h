// Parts of a database as databases of their own, for nodes that publish what is new.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

namespace warptune::db {

/// How often each row of a database was changed. Two readings differ if and only if rows were added, changed
/// or removed in between.
struct RowRevisions {
  std::map<std::int64_t, std::int64_t> measurements{};  ///< By id.
  std::map<std::int64_t, std::int64_t> sessions{};      ///< By id.

  bool operator==(const RowRevisions&) const = default;
};

/// Reads the revisions. Throws as `Store::open_existing` does.
RowRevisions row_revisions(const std::filesystem::path& database);

/// Makes the new database `target` with the measurements `ids` of `database`, and with all of its sessions
/// and roofs. Merging `target` into a third database adds the same rows as merging `database`. Throws
/// `base::InputError` if `target` exists, and as `Store::merge` does; then there is no `target`.
void extract_rows(const std::filesystem::path& database, const std::vector<std::int64_t>& ids,
                  const std::filesystem::path& target);

/// Removes the deletions from a database of somebody else, so that merging it removes no row. Nobody else
/// uses the file. Throws `base::InputError` unless it is a whole database of this version of the schema.
void leave_out_deletions(const std::filesystem::path& database);

}  // namespace warptune::db
