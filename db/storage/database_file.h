#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace warptune::db::storage {

/// `PRAGMA application_id` of a warptune database: "WTdb".
constexpr std::int64_t kApplicationId = 0x57546462;

/// Whether a database stands at `path`. False where there is no file or an empty one, which is all that a
/// process leaves that was killed before it made its first schema. Looks at the file's first bytes alone and
/// never at those of a pipe or a device, so that a foreign file stays as it is and nothing waits.
/// Throws `base::InputError` for a name that no file can have, for what is no warptune database, and for a
/// schema newer than `known_version`; `base::MachineError` where the file cannot be read.
bool holds_database(const std::filesystem::path& path, std::size_t known_version);

/// Whether a rollback journal with contents lies beside the database: a process was killed while it wrote, or
/// writes now. SQLite takes the unfinished change back when the database is opened for writing.
bool has_journal(const std::filesystem::path& path);

/// Makes an empty file for a database, and its folder where there is none, for the user alone whatever the
/// umask. Does nothing to what is there. Throws `base::MachineError` where the folder cannot be made.
void make_database_file(const std::filesystem::path& path);

/// Throws the `base::InputError` for a schema of a version that this warptune does not know.
[[noreturn]] void refuse_newer(const std::filesystem::path& path, std::int64_t found, std::size_t known);

/// Throws the `base::InputError` for a file that is no warptune database, or no whole one.
[[noreturn]] void refuse_foreign(const std::filesystem::path& path, const std::string& found);

}  // namespace warptune::db::storage
