#include "db/row_extract.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "db/storage/database_file.h"
#include "db/storage/intact_rows.h"
#include "db/storage/merging/merge.h"
#include "db/storage/merging/merged_sessions.h"
#include "db/storage/row_writer.h"
#include "db/storage/schema.h"
#include "db/storage/sqlite.h"

namespace warptune::db {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRemoveOthers = R"sql(
DELETE FROM session WHERE id NOT IN (SELECT id FROM extracted_session);
DELETE FROM workload WHERE id NOT IN (SELECT workload_id FROM session);
DELETE FROM kernel WHERE id NOT IN (SELECT kernel_id FROM workload);
DELETE FROM gpu WHERE id NOT IN (SELECT gpu_id FROM session);
DELETE FROM roof;
DELETE FROM deletion;
)sql";

class Extraction {
 public:
  Extraction(const fs::path& database, const std::set<std::int64_t>& sessions, storage::Database& extracted)
      : source_(storage::open_for_reading(database)), sessions_(sessions), extracted_(extracted) {}

  void run(const fs::path& database, const std::vector<std::int64_t>& ids) {
    std::vector<std::int64_t> own;
    std::vector<std::int64_t> continued;
    for (const std::int64_t id : ids) {
      const std::int64_t session = session_of(id);
      (sessions_.contains(session) ? own : continued).push_back(id);
    }
    storage::merging::merge(extracted_, database, own);
    keep_sessions();
    for (const std::int64_t id : continued) continue_row(id);
    storage::merging::settle_preferred(extracted_);
  }

 private:
  std::int64_t session_of(std::int64_t row) {
    const storage::CachedStatement found =
        source_.cached_statement("SELECT session_id FROM measurement WHERE id = ?");
    return found->bind(row).step() ? found->integer() : 0;
  }

  void keep_sessions() {
    extracted_.execute("CREATE TEMP TABLE extracted_session(id INTEGER PRIMARY KEY)");
    for (const std::int64_t session : sessions_) {
      storage::Statement known = source_.prepare("SELECT origin, origin_id FROM session WHERE id = ?");
      if (!known.bind(session).step()) continue;
      const std::int64_t origin = known.integer();
      storage::Statement kept =
          extracted_.prepare("SELECT id FROM session WHERE origin = ? AND origin_id = ?");
      if (!kept.bind(origin).bind(known.integer()).step()) continue;
      kept_[session] = kept.integer();
      kept.reset();
      extracted_.prepare("INSERT INTO extracted_session VALUES (?)").bind(kept_[session]).run();
    }
    extracted_.execute(kRemoveOthers);
  }

  // The newest session of the row's workload.
  std::optional<std::int64_t> continuing_session(std::int64_t row) {
    storage::Statement found = source_.prepare(
        "SELECT session.id FROM session JOIN configuration USING (workload_id)"
        " WHERE configuration.id = (SELECT configuration_id FROM measurement WHERE id = ?)"
        " ORDER BY session.id DESC");
    found.bind(row);
    while (found.step())
      if (const auto kept = kept_.find(found.integer()); kept != kept_.end()) return kept->second;
    return std::nullopt;
  }

  void continue_row(std::int64_t id) {
    const std::optional<std::int64_t> session = continuing_session(id);
    const std::optional<StoredMeasurement> row = storage::intact_measurement(source_, id);
    if (!session || !row) return;
    const std::int64_t copy = storage::insert_measurement(extracted_, *session, row->measurement, id);
    storage::Statement numbers = source_.prepare("SELECT revision, chosen FROM measurement WHERE id = ?");
    numbers.bind(id).step();
    const std::int64_t revision = numbers.integer();
    extracted_.prepare("UPDATE measurement SET revision = ?, chosen = nullif(?, 0) WHERE id = ?")
        .bind(revision)
        .bind(row->preferred ? numbers.integer() : 0)
        .bind(copy)
        .run();
  }

  storage::Database source_;
  const std::set<std::int64_t>& sessions_;
  storage::Database& extracted_;
  std::map<std::int64_t, std::int64_t> kept_;  // Sessions of the source, and their ids in `extracted_`.
};

// `first_number` is larger than all numbers, so no two rows have the same one meanwhile.
void count_from(storage::Database& extracted, std::int64_t first_number) {
  for (const char* column :
       {"measurement SET origin_id = origin_id", "configuration SET latest_clock = latest_clock"})
    extracted.prepare(fmt::format("UPDATE {} + ?", column)).bind(first_number).run();
}

}  // namespace

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
  // Both numbers only grow.
  read("SELECT id, revision + coalesce(chosen, 0) FROM measurement ORDER BY id", revisions.measurements);
  read("SELECT id, revision FROM session ORDER BY id", revisions.sessions);
  return revisions;
}

void extract_rows(const fs::path& database, const std::vector<std::int64_t>& ids,
                  const std::set<std::int64_t>& sessions, const fs::path& target, std::int64_t first_number) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(target, ignored)))
    throw base::InputError("the file exists already", {target.string(), 0, 0});
  try {
    storage::Database extracted = storage::make_scratch(target);  // Whoever keeps the file flushes it.
    Extraction(database, sessions, extracted).run(database, ids);
    if (first_number > 0) count_from(extracted, first_number);
  } catch (...) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(target.string() + suffix, ignored);
    throw;
  }
}

void replace_content(const fs::path& target, const fs::path& source) {
  storage::Database from = storage::open_for_reading(source);
  storage::Database to = storage::open_for_writing(target);
  from.copy_to(to);
}

}  // namespace warptune::db
