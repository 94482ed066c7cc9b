// Writes rows with their checksums. The rows that a new row refers to are found or added first.
#include "db/storage/row_writer.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "db/recordings/values_json.h"
#include "db/storage/checksums.h"
#include "db/storage/columns.h"
#include "db/storage/merging/origins.h"

namespace warptune::db::storage {

namespace {

// Binds the value of a member to the next placeholder (`?`) of the statement.
struct ColumnBinder {
  Statement& statement;

  template <class T>
  void operator()(const ColumnName&, const T& value) const {
    statement.bind(value);
  }
  template <class T>
  void operator()(const ColumnName&, const std::optional<T>& number) const {
    statement.bind(model::stored_number(number));
  }
  void operator()(const ColumnName&, model::Status status) const { statement.bind(model::to_string(status)); }
  void operator()(const ColumnName&, model::RowSource source) const {
    statement.bind(static_cast<int>(source));
  }
  void operator()(const ColumnName&, model::ArithmeticUnit unit) const {
    statement.bind(model::to_string(unit));
  }
  void operator()(const ColumnName&, const model::NamedValues& values) const {
    statement.bind(recordings::compact(values));
  }
};

using Names = std::vector<std::string>;

// An INSERT statement with a placeholder for each column: first `keys`, then `columns`.
std::string insertion(const char* table, Names keys, const Names& columns) {
  keys.insert(keys.end(), columns.begin(), columns.end());
  return fmt::format("INSERT INTO {}({}) VALUES({})", table, fmt::join(keys, ", "),
                     fmt::join(Names(keys.size(), "?"), ", "));
}

std::int64_t metric_id(Database& database, const std::string& name) {
  std::unordered_map<std::string, std::int64_t>& known = database.known_ids();
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  database.prepare("INSERT INTO metric(name) VALUES(?) ON CONFLICT DO NOTHING").bind(name).run();
  Statement id = database.prepare("SELECT id FROM metric WHERE name = ?");
  id.bind(name).step();
  return known[name] = id.integer();
}

// Throws if the session was removed after this connection had added a row to it. Another process may remove a
// session that seems to have been interrupted, and a later session may get its id: then `origin` differs. The
// caller is in a transaction, so the session stays until the row is written.
void require_same_session(Database& database, std::int64_t session) {
  std::optional<std::int64_t> origin;
  {
    const CachedStatement found = database.cached_statement("SELECT origin FROM session WHERE id = ?");
    if (found->bind(session).step()) origin = found->integer();
  }
  std::unordered_map<std::int64_t, std::int64_t>& known = database.session_origins();
  if (origin && known.try_emplace(session, *origin).first->second == *origin) return;
  if (!origin && known.count(session) == 0) return;  // It never existed; `workload_of_session` throws.
  throw base::MachineError(
      fmt::format("{}: session {} was removed meanwhile, for example by `warptune db prune`",
                  database.path().string(), session),
      "run the command again; it begins a new session");
}

// The id of a new row is larger than those of the session's rows that were deleted. Otherwise a merge would
// take the new row for a deleted one. Returns std::nullopt if no row of the session was deleted.
std::optional<std::int64_t> id_after_deletions(Database& database, std::int64_t session) {
  const CachedStatement found = database.cached_statement(
      "SELECT 1 + max(measurement_id, (SELECT coalesce(max(id), 0) FROM measurement)) FROM deletion"
      " WHERE (origin, session_id) = (SELECT origin, origin_id FROM session WHERE id = ?)"
      " ORDER BY measurement_id DESC LIMIT 1");
  if (!found->bind(session).step()) return std::nullopt;
  return found->integer();
}

void bind_number(Statement& statement, std::optional<std::int64_t> number) {
  if (number) {
    statement.bind(*number);
  } else {
    statement.bind_null();
  }
}

}  // namespace

std::int64_t gpu_id(Database& database, const model::GpuDescription& gpu) {
  static const std::string sql =
      insertion("gpu", {"key", "description"}, columns_of<model::GpuDescription>()) +
      " ON CONFLICT DO NOTHING";
  const std::string description = recordings::compact(recordings::to_json(gpu));
  Statement insert = database.prepare(sql);
  insert.bind(gpu.key()).bind(description);
  visit_columns(gpu, ColumnBinder{insert});
  insert.run();
  Statement found = database.prepare("SELECT id FROM gpu WHERE description = ?");
  found.bind(description).step();
  return found.integer();
}

std::int64_t workload_id(Database& database, const model::Workload& workload) {
  database.prepare("INSERT INTO kernel(name, hash) VALUES(?, ?) ON CONFLICT DO NOTHING")
      .bind(workload.kernel)
      .bind(workload.kernel_hash)
      .run();
  const std::string problem_key = recordings::canonical_key(workload.problem);
  database
      .prepare(
          "INSERT INTO workload(kernel_id, problem_key, problem, gpu_key, cache_state)"
          " SELECT id, ?, ?, ?, ? FROM kernel WHERE name = ? AND hash = ? ON CONFLICT DO NOTHING")
      .bind(problem_key)
      .bind(recordings::compact(workload.problem))
      .bind(workload.gpu.key())
      .bind(model::to_string(workload.cache))
      .bind(workload.kernel)
      .bind(workload.kernel_hash)
      .run();
  Statement found = database.prepare(
      "SELECT workload.id FROM workload JOIN kernel ON kernel.id = kernel_id"
      " WHERE name = ? AND hash = ? AND problem_key = ? AND gpu_key = ? AND cache_state = ?");
  found.bind(workload.kernel).bind(workload.kernel_hash).bind(problem_key).bind(workload.gpu.key());
  found.bind(model::to_string(workload.cache)).step();
  return found.integer();
}

std::int64_t configuration_id(Database& database, std::int64_t workload, const model::NamedValues& values) {
  const std::string key = recordings::canonical_key(values);
  const CachedStatement insert = database.cached_statement(
      "INSERT INTO configuration(workload_id, key, body) VALUES(?, ?, ?) ON CONFLICT DO NOTHING");
  insert->bind(workload).bind(key).bind(recordings::compact(values)).step();
  if (database.changes() == 1) return database.last_insert_id();
  const CachedStatement found =
      database.cached_statement("SELECT id FROM configuration WHERE workload_id = ? AND key = ?");
  found->bind(workload).bind(key).step();
  return found->integer();
}

// `found` resets its statement when it is destroyed. An unfinished statement would keep a transaction open.
std::int64_t workload_of_session(Database& database, std::int64_t session) {
  const auto known = database.known_workloads().find(session);
  if (known != database.known_workloads().end()) return known->second;
  const CachedStatement found = database.cached_statement("SELECT workload_id FROM session WHERE id = ?");
  if (!found->bind(session).step())
    throw base::InternalError(fmt::format("the database has no session {}", session));
  return database.known_workloads()[session] = found->integer();
}

std::uint64_t workload_checksum(Database& database, std::int64_t workload) {
  const auto known = database.workload_checksums().find(workload);
  if (known != database.workload_checksums().end()) return known->second;
  const CachedStatement found = database.cached_statement(
      "SELECT kernel.name, kernel.hash, problem_key, gpu_key, cache_state FROM workload"
      " JOIN kernel ON kernel.id = kernel_id WHERE workload.id = ?");
  if (!found->bind(workload).step()) return 0;
  std::array<std::string, 5> texts;
  for (std::string& text : texts) text = found->text();
  return database.workload_checksums()[workload] =
             workload_checksum_of(texts[0], texts[1], texts[2], texts[3], texts[4]);
}

std::int64_t insert_session(Database& database, const Session& session) {
  static const std::string sql =
      insertion("session", {"workload_id", "gpu_id", "default_key", "checksum"}, columns_of<Session>());
  const std::int64_t workload = workload_id(database, session.workload);
  const std::int64_t gpu = gpu_id(database, session.workload.gpu);
  Statement insert = database.prepare(sql);
  insert.bind(workload).bind(gpu).bind(recordings::canonical_key(session.default_configuration));
  insert.bind(checksum_of(workload_checksum(database, workload),
                          recordings::compact(recordings::to_json(session.workload.gpu)), session));
  visit_columns(session, ColumnBinder{insert});
  insert.run();
  const std::int64_t id = database.last_insert_id();
  database.session_origins().erase(id);  // The id may have belonged to a session that was removed.
  return id;
}

void update_session_roofs(Database& database, std::int64_t session, const model::Roofs& roofs) {
  std::string assignments;
  visit_roof_columns(roofs, [&](const ColumnName& column, const auto&) {
    assignments += (assignments.empty() ? "" : ", ") + column.text() + " = ?";
  });
  Statement update =
      database.prepare("UPDATE session SET " + assignments + ", revision = revision + 1 WHERE id = ?");
  visit_roof_columns(roofs, ColumnBinder{update});
  update.bind(session).run();
}

std::int64_t insert_measurement(Database& database, std::int64_t session,
                                const model::Measurement& measurement,
                                std::optional<std::int64_t> origin_id) {
  static const std::string sql = insertion(
      "measurement", {"id", "session_id", "configuration_id", "checksum", "counter_checksum", "origin_id"},
      columns_of<model::Measurement>());
  // A row with an `origin_id` is imported, and its session was inserted in the same transaction.
  if (!origin_id) require_same_session(database, session);
  const std::optional<std::int64_t> new_id = origin_id ? std::nullopt : id_after_deletions(database, session);
  const std::int64_t workload = workload_of_session(database, session);
  const std::int64_t configuration = configuration_id(database, workload, measurement.configuration);
  std::int64_t id = 0;
  {
    const CachedStatement insert = database.cached_statement(sql.c_str());
    bind_number(*insert, new_id);
    insert->bind(session).bind(configuration);
    insert->bind(checksum_of(workload_checksum(database, workload),
                             merging::origin_id_of_session(database, session), measurement));
    insert->bind(checksum_of(measurement.counters));
    bind_number(*insert, origin_id);
    visit_columns(measurement, ColumnBinder{*insert});
    insert->step();
    id = database.last_insert_id();
  }
  insert_counters(database, id, measurement.counters);
  return id;
}

void insert_roof(Database& database, const std::string& gpu_key, const model::RoofReading& reading,
                 std::int64_t revision) {
  static const std::string sql =
      insertion("roof", {"gpu_key", "checksum", "revision"}, columns_of<model::RoofReading>());
  Statement insert = database.prepare(sql);
  insert.bind(gpu_key).bind(checksum_of(gpu_key, reading)).bind(revision);
  visit_columns(reading, ColumnBinder{insert});
  insert.run();
}

void insert_counters(Database& database, std::int64_t measurement, const model::Counters& counters) {
  if (counters.empty()) return;
  const CachedStatement insert =
      database.cached_statement("INSERT INTO counter(measurement_id, metric_id, value) VALUES(?, ?, ?)");
  for (const auto& [name, value] : counters)
    insert->bind(measurement).bind(metric_id(database, name)).bind(value).run();
}

}  // namespace warptune::db::storage
