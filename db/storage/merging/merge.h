#pragma once

#include <filesystem>

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage::merging {

/// Adds the rows of the database `source` to `target`, in one transaction (docs/database.md, "Merging").
/// Merging the same file again changes nothing. Rows that do not fit their checksums are not taken.
///
/// Throws `base::InputError` if `source` is missing, is not a database of a known version, is damaged, or is
/// `target` itself. `target` is not changed then.
MergeCounts merge(Database& target, const std::filesystem::path& source);

}  // namespace warptune::db::storage::merging
