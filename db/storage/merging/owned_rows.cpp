// Merges a database that may have been made to do harm.
//
// Its bytes become a database in memory, which is changed before the usual merge reads it: its sessions get
// the origin of their owner. The identity of every row begins with that origin, so the merge finds no row of
// another owner. Nothing in the database can prevent this: its schema is compared first, so it has no trigger
// or view of its own, and it cannot name other files.
#include "db/storage/merging/owned_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "db/recordings/values_json.h"
#include "db/storage/damage.h"
#include "db/storage/database_file.h"
#include "db/storage/merging/merge.h"
#include "db/storage/row_reader.h"
#include "db/storage/schema.h"

namespace warptune::db::storage::merging {

namespace {

// Limits
// ----------------------------------------------------------------------------------------------------
// They are far above what any database reaches, and so low that numbers derived from them cannot overflow.

constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;  // What a double holds exactly.
constexpr std::int64_t kMaxId = std::int64_t{1} << 40;
constexpr std::int64_t kMaxNumber = RowOwner::kMaxChoice * RowOwner::kNumbersPerChoice;
constexpr std::int64_t kMaxRevision = std::int64_t{1} << 31;
constexpr std::int64_t kMaxTimeMs = std::int64_t{1} << 48;  // The year 10889.
constexpr double kMaxReal = 1e300;

// Columns that hold any 64 bits: hashes, and unsigned numbers that are stored as signed ones.
bool has_any_bits(const std::string& column) {
  for (const char* name :
       {"origin", "checksum", "counter_checksum", "search_checksum", "seed", "space_size", "chosen"})
    if (column == name) return true;
  return false;
}

std::int64_t max_of(const std::string& column) {
  if (column == "origin_id") return kMaxNumber;
  if (column == "id" || column.ends_with("_id")) return kMaxId;
  if (column == "revision") return kMaxRevision;
  if (column.ends_with("_ms")) return kMaxTimeMs;
  return kMaxCount;
}

// A query for the name of a column of `other.TABLE` with a number beyond its limits.
std::string limits_query(Database& database, const std::string& table) {
  Statement columns = database.prepare("SELECT name, type FROM pragma_table_info(?)");
  columns.bind(table);
  std::string cases;
  while (columns.step()) {
    const std::string column = columns.text();
    const std::string type = columns.text();
    if (type == "INTEGER" && !has_any_bits(column))
      cases += fmt::format(" WHEN {0} NOT BETWEEN 0 AND {1} THEN '{0}'", column, max_of(column));
    if (type == "REAL") cases += fmt::format(" WHEN {0} NOT BETWEEN 0 AND {1} THEN '{0}'", column, kMaxReal);
  }
  return fmt::format(
      "SELECT problem FROM (SELECT CASE{} END AS problem FROM other.{}) WHERE problem IS NOT NULL LIMIT 1",
      cases, table);
}

void require_limits(Database& database, const RowOwner& owner) {
  static const std::string measurements = limits_query(database, "measurement");
  static const std::string sessions = limits_query(database, "session");
  for (const auto& [table, query] : {std::pair("measurement", &measurements), {"session", &sessions}}) {
    if (const std::string column = database.text(*query); !column.empty())
      throw base::InputError(
          fmt::format("the column {} of a {} has a number beyond its limits", column, table));
  }
  const std::int64_t last = std::max(owner.choice, std::int64_t{1}) * RowOwner::kNumbersPerChoice;
  Statement later =
      database.prepare("SELECT 1 FROM other.measurement WHERE coalesce(origin_id, id) > ? LIMIT 1");
  if (later.bind(last).step()) throw base::InputError("its rows have numbers of a later attempt");
  if (database.integer("SELECT EXISTS (SELECT 1 FROM other.session WHERE origin_id IS NULL)") != 0)
    throw base::InputError("a session has no number");
  if (database.integer("SELECT EXISTS (SELECT 1 FROM other.counter WHERE abs(value) > 1e300)") != 0)
    throw base::InputError("a counter has a number beyond its limits");
}

// The file
// ----------------------------------------------------------------------------------------------------
// Offsets in the header of a database (https://sqlite.org/fileformat2.html, section 1.3).
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kFormatOffset = 18;
constexpr std::size_t kUserVersionOffset = 60;
constexpr std::size_t kApplicationIdOffset = 68;

std::int64_t big_endian(std::string_view bytes, std::size_t offset) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

void require_header(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("SQLite format 3") ||
      big_endian(bytes, kApplicationIdOffset) != kApplicationId)
    throw base::InputError("expected a database of rows, found something else");
  const auto expected = static_cast<std::int64_t>(migrations().size());
  if (const std::int64_t version = big_endian(bytes, kUserVersionOffset); version != expected)
    throw base::InputError(
        fmt::format("another version of warptune made these rows: the schema has version {}, expected {}",
                    version, expected));
  // Both are 1 without a write-ahead log, which a database in memory cannot have.
  if (bytes[kFormatOffset] != 1 || bytes[kFormatOffset + 1] != 1)
    throw base::InputError("expected a database without a write-ahead log");
}

// The bytes as the database `other` in memory.
class DatabaseInMemory {
 public:
  DatabaseInMemory(Database& database, std::string_view bytes) : database_(database) {
    database.execute("PRAGMA temp_store = MEMORY");
    database.attach_bytes("other", bytes);
  }
  DatabaseInMemory(const DatabaseInMemory&) = delete;
  DatabaseInMemory& operator=(const DatabaseInMemory&) = delete;
  ~DatabaseInMemory() {
    try {
      database_.execute("DETACH other");
    } catch (const base::Error&) {  // The connection's end detaches it.
    }
  }

 private:
  Database& database_;
};

// Owners
// ----------------------------------------------------------------------------------------------------

// The GPUs that the database describes, by key.
std::multimap<std::string, model::GpuDescription> described_gpus(Database& database) {
  std::multimap<std::string, model::GpuDescription> gpus;
  Statement descriptions = database.prepare("SELECT description FROM other.gpu");
  for (model::GpuDescription& gpu : read_gpus(descriptions)) {
    std::string key = gpu.key();
    gpus.emplace(std::move(key), std::move(gpu));
  }
  return gpus;
}

void require_workloads(Database& database, const RowOwner& owner) {
  const std::multimap<std::string, model::GpuDescription> gpus = described_gpus(database);
  Statement rows = database.prepare(
      "SELECT kernel.name, kernel.hash, problem_key, problem, gpu_key, cache_state,"
      " EXISTS (SELECT 1 FROM other.configuration CROSS JOIN other.measurement"
      "  ON configuration_id = configuration.id WHERE workload_id = workload.id AND replayed = 0)"
      " FROM other.workload JOIN other.kernel ON kernel.id = kernel_id");
  while (rows.step()) {
    model::Workload workload{rows.text(), rows.text(), {}, {}};
    const std::string problem_key = rows.text();
    workload.problem = recordings::parse_values(rows.text());
    if (recordings::canonical_key(workload.problem) != problem_key)
      throw base::InputError("the key of a workload differs from its problem");
    const auto [first, last] = gpus.equal_range(rows.text());
    const auto cache = model::parse_cache_state(rows.text());
    if (first == last || !cache)
      throw base::InputError("a workload names no known GPU or state of the cache");
    workload.cache = *cache;
    const bool is_measured = rows.boolean();
    for (auto gpu = first; owner.objection && gpu != last; ++gpu) {
      workload.gpu = gpu->second;
      if (const std::string objection = owner.objection(workload, is_measured); !objection.empty())
        throw base::InputError(objection);
    }
  }
}

void give_to_owner(Database& database, const RowOwner& owner) {
  database.execute("DELETE FROM other.deletion; DELETE FROM other.roof");
  database.prepare("UPDATE other.session SET origin = ?").bind(owner.origin).run();
  // The order of the owner's own choices is kept.
  database
      .prepare(
          "UPDATE other.measurement SET chosen = CASE WHEN chosen > 0 THEN ?1 * ?2 + chosen % ?2 END"
          " WHERE chosen IS NOT NULL")
      .bind(owner.choice)
      .bind(RowOwner::kChoices)
      .run();
}

// Checks the database `other` and gives its rows to the owner. Everything happens in memory.
void prepare_rows(Database& database, const RowOwner& owner) {
  try {
    if (const std::string problem = database.text("PRAGMA other.integrity_check(1)"); problem != "ok")
      throw base::InputError(problem);
    if (const std::string problem = foreign_schema_problem(database, "other"); !problem.empty())
      throw base::InputError(problem);
    require_limits(database, owner);
    require_workloads(database, owner);
    give_to_owner(database, owner);
  } catch (const NoRoom&) {  // The update of its rows makes it grow.
    throw base::InputError("it becomes larger than a database in memory may be");
  }
}

}  // namespace

MergeCounts merge_owned(Database& target, std::string_view bytes, const RowOwner& owner) {
  require_header(bytes);
  if (owner.choice < 0 || owner.choice > RowOwner::kMaxChoice)
    throw base::InputError("the number of its lease is beyond its limits");
  try {
    const DatabaseInMemory attached(target, bytes);
    prepare_rows(target, owner);
    return merge_attached(target, Source::kUntrusted);
  } catch (const NoMemory&) {
    throw base::InputError("there is not enough memory to check and merge it");
  } catch (const base::InternalError& error) {  // Two sessions with one number, for example.
    throw base::InputError(error.message());
  }
}

}  // namespace warptune::db::storage::merging
