#include "db/storage/merging/attached_database.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "base/error.h"
#include "db/storage/damage.h"
#include "db/storage/database_file.h"
#include "db/storage/schema.h"

namespace warptune::db::storage::merging {

namespace fs = std::filesystem;

Database opened_source(const fs::path& target, const fs::path& path) {
  if (!holds_database(path, migrations().size()))
    throw base::InputError("there is no database to merge", {path.string(), 0, 0});
  std::error_code ignored;
  if (fs::equivalent(path, target, ignored))
    throw base::InputError("a database cannot be merged into itself; name another file",
                           {path.string(), 0, 0});
  Database source = open_for_reading(path);
  const std::string pages = page_problem(source);
  const std::string problem = pages.empty() ? schema_problem(source) : pages;
  if (!problem.empty())
    throw base::InputError(
        fmt::format(
            "damaged database: {}; nothing was merged, `warptune db verify` lists the damage; if there is "
            "a copy that `warptune db backup` made, merge that one",
            problem),
        {path.string(), 0, 0});
  return source;
}

AttachedDatabase::AttachedDatabase(Database& database, const Database& source) : database_(database) {
  // The temporary tables are small: a few numbers for each row. The page cache is large (256 MiB), because
  // a merge inserts into indices in random order.
  database.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -262144");
  database.attach_file("other", source.path(), source.is_immutable());
}

AttachedDatabase::~AttachedDatabase() {
  try {
    database_.execute("DETACH other; PRAGMA cache_size = -65536");
  } catch (const base::Error&) {  // The connection's end detaches it.
  }
}

}  // namespace warptune::db::storage::merging
