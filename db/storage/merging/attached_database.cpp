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

Database opened_source(const Database& target, const fs::path& path) {
  if (!holds_database(path, migrations().size()))
    throw base::InputError("there is no database to merge", {path.string(), 0, 0});
  std::error_code ignored;
  if (fs::equivalent(path, target.path(), ignored))
    throw base::InputError("this is the database into which it would be merged; name another file",
                           {path.string(), 0, 0});
  Database source = open_for_reading(path);
  const std::string problem = source.text("PRAGMA quick_check(1)");
  if (problem != "ok")
    throw base::InputError(fmt::format("damaged database: {}; nothing was merged", problem),
                           {path.string(), 0, 0});
  if (const std::string differs = schema_problem(source); !differs.empty())
    throw base::InputError(fmt::format("damaged database: {}; nothing was merged", differs),
                           {path.string(), 0, 0});
  return source;
}

AttachedDatabase::AttachedDatabase(Database& database, const fs::path& path) : database_(database) {
  // The temporary tables have a few numbers for each row. A merge inserts into indices in random order.
  database.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -262144");
  attach(uri_of(path, "mode=ro"));
  try {
    database.integer("SELECT count(*) FROM other.sqlite_master");
  } catch (const base::MachineError&) {  // In a read-only folder; `open_for_reading` has read it before.
    database.execute("DETACH other");
    attach(uri_of(path, "immutable=1"));
  }
}

AttachedDatabase::~AttachedDatabase() {
  try {
    database_.execute("DETACH other; PRAGMA cache_size = -65536");
  } catch (const base::Error&) {  // The connection's end detaches it.
  }
}

void AttachedDatabase::attach(const std::string& uri) {
  database_.prepare("ATTACH ? AS other").bind(uri).run();
}

}  // namespace warptune::db::storage::merging
