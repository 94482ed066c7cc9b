#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage::merging {

/// Adds the rows of the database `source` to `target`, in one transaction (docs/database.md, "Merging").
/// Merging the same file again changes nothing. Rows that do not fit their checksums are not taken. If
/// `wanted` is given, only measurements with these ids in `source` are taken, with the sessions of all.
///
/// Throws `base::InputError` if `source` is missing, is not a database of a known version, is damaged, or is
/// `target` itself. `target` is not changed then.
MergeCounts merge(Database& target, const std::filesystem::path& source,
                  const std::optional<std::vector<std::int64_t>>& wanted = std::nullopt);

/// Where the rows of a merge come from.
enum class Source {
  kTrusted,   ///< From a file of the user: its numbers are a clock that this file follows.
  kUntrusted  ///< From somebody else: its numbers do not change those of this file.
};

/// The same for the database that is attached to `target` as `other`. It is not verified as a whole.
MergeCounts merge_attached(Database& target, Source from,
                           const std::optional<std::vector<std::int64_t>>& wanted = std::nullopt);

}  // namespace warptune::db::storage::merging
