#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace warptune::db::storage {

/// `PRAGMA application_id` of a warptune database: "WTdb".
constexpr std::int64_t kApplicationId = 0x57546462;

/// Whether the file at `path` has a database. Returns false if there is no file or an empty one. A process
/// that is killed before it makes its first schema leaves an empty file.
///
/// Only the first bytes of a file are read, without SQLite, which might change a file of another program. A
/// pipe or a device is not opened, because reading it could block.
///
/// Throws `base::InputError` for a name that no file can have, for a file that is not a warptune database,
/// and for a schema newer than `known_version`. Throws `base::MachineError` if the file cannot be read.
bool holds_database(const std::filesystem::path& path, std::size_t known_version);

/// The file to which `path` leads when links are followed. SQLite keeps its further files (`-wal`, `-shm`,
/// `-journal`) beside this file. Returns `path` if it leads to no file.
std::filesystem::path linked_file(const std::filesystem::path& path);

/// Whether a write-ahead log with contents lies beside the database. An empty one holds no data: a connection
/// for reading makes it.
bool has_log(const std::filesystem::path& path);

/// Whether the database has a rollback journal with contents. If it has, a process was killed while it wrote,
/// or is writing now. SQLite undoes an unfinished change when the database is opened for writing.
bool has_journal(const std::filesystem::path& path);

/// Makes an empty file for a database, and its folder if that is missing. Only the user can read and write
/// them, whatever the umask is. An existing file is unchanged. Throws `base::MachineError` if the folder
/// cannot be made.
void make_database_file(const std::filesystem::path& path);

/// Throws `base::InputError` for a schema of a version that this warptune does not know.
[[noreturn]] void refuse_newer(const std::filesystem::path& path, std::int64_t found, std::size_t known);

/// Throws `base::InputError` for a file that is not a warptune database, or not a complete one.
[[noreturn]] void refuse_foreign(const std::filesystem::path& path, const std::string& found);

}  // namespace warptune::db::storage
