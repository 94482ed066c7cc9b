#pragma once

#include <string_view>

#include "db/row_extract.h"
#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage::merging {

/// Adds the rows of a database that nobody vouches for, given as the bytes of its file. The rules are those
/// of `merge`, except for these:
///
/// * All rows become the owner's: every session gets its origin.
/// * Deletions and roofs are left out. A preferred row gets a number that depends on `RowOwner::choice`.
/// * Everything that warptune would not write is refused: another schema, workloads to which the owner
///   objects, keys that differ from their content, and numbers beyond their limits (docs/fleet-store.md).
///
/// Throws `base::InputError` with one sentence if the database is refused, or if checking or merging it needs
/// more memory than there is. `target` is not changed then. Throws `base::MachineError` if the disk of
/// `target` is full, for example.
MergeCounts merge_owned(Database& target, std::string_view bytes, const RowOwner& owner);

}  // namespace warptune::db::storage::merging
