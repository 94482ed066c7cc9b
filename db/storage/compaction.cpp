// Makes a database as small as its rows allow with SQLite's VACUUM (https://sqlite.org/lang_vacuum.html).
//
// VACUUM writes the rows into a temporary file, and from there into the write-ahead log, as one transaction.
// So readers keep their snapshots, writers wait, and a killed process leaves the earlier pages. Then a
// checkpoint moves the log into the file and cuts the file off. While a reader still needs earlier pages,
// this is not possible; a later checkpoint of any process does it. The temporary file lies beside the
// database, so only this disk needs space: for the rows twice, in the temporary file and in the log.
#include "db/storage/compaction.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.h"
#include "db/storage/damage.h"
#include "db/storage/database_file.h"

namespace warptune::db::storage {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSpareBytes = 1 << 20;  // For the frames' headers and the log's index.

// SQLite keeps all files of the database in this folder, also if the database is opened through a link.
fs::path folder_of(const Database& database) {
  return fs::absolute(linked_file(database.path())).parent_path();
}

std::uint64_t bytes_of(const fs::path& path) {
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(path, missing);
  return missing ? 0 : bytes;
}

std::uint64_t bytes_of(const Database& database) {
  const fs::path file = linked_file(database.path());
  return bytes_of(file) + bytes_of(file.string() + "-wal");
}

std::uint64_t bytes_of_rows(Database& database) {
  return static_cast<std::uint64_t>(
      (database.integer("PRAGMA page_count") - database.integer("PRAGMA freelist_count")) *
      database.integer("PRAGMA page_size"));
}

void require_space(Database& database, std::uint64_t free_bytes) {
  const std::uint64_t needed = 2 * bytes_of_rows(database) + kSpareBytes;
  if (free_bytes >= needed) return;
  throw base::MachineError(
      fmt::format(
          "{}: compacting needs {} bytes of free space on its disk, which has {}; nothing was changed",
          database.path().string(), needed, free_bytes),
      "make room on the disk");
}

void use_folder_for_temporary_files(Database& database) {
  std::string folder = folder_of(database).string();
  for (std::size_t at = 0; (at = folder.find('\'', at)) != std::string::npos; at += 2)
    folder.insert(at, 1, '\'');
  database.execute(
      fmt::format("PRAGMA temp_store = FILE; PRAGMA temp_store_directory = '{}'", folder).c_str());
}

// VACUUM reports a damaged page as a full disk, and may leave rows out.
void require_whole_pages(Database& database) {
  const std::string problem = page_problem(database);
  if (!problem.empty())
    database.refuse_damaged(problem + "; nothing was changed, `warptune db verify` lists the damage");
}

// Returns whether other processes still read earlier pages.
bool cut_off(Database& database) {
  constexpr const char* kShortWait = "PRAGMA busy_timeout = 2000";
  database.execute(kShortWait);
  Statement checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  return checkpoint.step() && checkpoint.boolean();
}

}  // namespace

std::uint64_t free_bytes_beside(const Database& database) {
  std::error_code error;
  const fs::space_info space = fs::space(folder_of(database), error);
  if (error)
    throw base::MachineError(fmt::format("{}: the free space of its disk cannot be read: {}",
                                         database.path().string(), error.message()),
                             "name another database with --db FILE");
  return space.available;
}

Compaction compact(Database& database, std::uint64_t free_bytes) {
  require_space(database, free_bytes);
  require_whole_pages(database);
  Compaction compaction;
  compaction.before_bytes = bytes_of(database);
  use_folder_for_temporary_files(database);
  database.execute("VACUUM");
  compaction.still_read = cut_off(database);
  database.execute("PRAGMA temp_store_directory = ''; PRAGMA busy_timeout = 30000");
  compaction.after_bytes = bytes_of(database);
  return compaction;
}

}  // namespace warptune::db::storage
