#include "db/row_extract.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "base/error.h"
#include "db/storage/damage.h"
#include "db/storage/database_file.h"
#include "db/storage/merging/merge.h"
#include "db/storage/schema.h"
#include "db/storage/sqlite.h"

namespace warptune::db {

namespace fs = std::filesystem;

RowRevisions row_revisions(const fs::path& database) {
  storage::Database opened = storage::open_for_reading(database);
  RowRevisions revisions;
  const auto read = [&](const char* query, std::map<std::int64_t, std::int64_t>& rows) {
    storage::Statement statement = opened.prepare(query);
    while (statement.step()) {
      const std::int64_t id = statement.integer();
      rows.emplace_hint(rows.end(), id, statement.integer());
    }
  };
  read("SELECT id, revision FROM measurement ORDER BY id", revisions.measurements);
  read("SELECT id, revision FROM session ORDER BY id", revisions.sessions);
  return revisions;
}

void extract_rows(const fs::path& database, const std::vector<std::int64_t>& ids, const fs::path& target) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(target, ignored)))
    throw base::InputError("the file exists already", {target.string(), 0, 0});
  try {
    storage::Database extracted = storage::open_for_writing(target);
    storage::merging::merge(extracted, database, ids);
    extracted.execute("PRAGMA journal_mode = DELETE");  // Moves the write-ahead log into the file.
  } catch (...) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(target.string() + suffix, ignored);
    throw;
  }
}

void leave_out_deletions(const fs::path& database) {
  const auto refuse = [&](const std::string& problem) {
    throw base::InputError(problem, {database.filename().string(), 0, 0});
  };
  if (!storage::holds_database(database, storage::migrations().size()))
    refuse("expected a database of rows, found something else");
  storage::Database opened(database, storage::OpenMode::kReadWrite);
  opened.execute("PRAGMA trusted_schema = OFF");
  const std::int64_t version = opened.integer("PRAGMA user_version");
  if (version != static_cast<std::int64_t>(storage::migrations().size()))
    refuse(fmt::format("another version of warptune made these rows: the schema has version {}, expected {}",
                       version, storage::migrations().size()));
  if (const std::string problem = storage::schema_problem(opened); !problem.empty()) refuse(problem);
  opened.execute("DELETE FROM deletion");
}

}  // namespace warptune::db
