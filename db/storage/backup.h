#pragma once

#include <filesystem>

#include "db/storage/sqlite.h"

namespace warptune::db::storage {

/// Copies the database of `source` to the new file `target`, for this user only (mode 0600). Other processes
/// may write the database meanwhile. The copy holds what was committed when the copying began.
///
/// The pages are copied into a temporary file of the same folder. The file gets the name `target` only when
/// it is complete, was checked and is on the disk. So a file `target` is never incomplete, even if the
/// process is killed. A killed process may leave the temporary file `target.XXXXXX`.
///
/// Throws `base::InputError`:
/// * if `target` exists, also when it appears during the copying, or cannot be a database's name;
/// * if a journal or a write-ahead log of an earlier database lies beside `target`, because SQLite would
/// apply
///   it to the copy;
/// * if the folder is missing;
/// * if the database's structure is damaged. No copy is made then.
/// Throws `base::MachineError` if the copy cannot be written.
void back_up(Database& source, const std::filesystem::path& target);

}  // namespace warptune::db::storage
