// Verifies a whole database.
//
// SQLite checks its own structure, but a wrong value in a row is a valid row to it. Checksums find wrong
// values in rows. What no checksum covers is compared with something else in the file or the program:
// * entries of an index with their table, by `integrity_check`;
// * values that are derived from other rows, with the same values derived again;
// * the text of the schema with the text that the program would write.
#include "db/storage/damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "db/recordings/values_json.h"
#include "db/storage/checksums.h"
#include "db/storage/codes/workload_code_rows.h"
#include "db/storage/columns.h"
#include "db/storage/intact_rows.h"
#include "db/storage/merging/merged_sessions.h"
#include "db/storage/messages/sqlite_errors.h"
#include "db/storage/schema.h"

namespace warptune::db::storage {

namespace {

// Returns the problem that `look()` returns. If `look` cannot read something, the problem is the error's
// message.
template <class Look>
std::string problem_of(Look look) {
  try {
    return look();
  } catch (const messages::DamageError& error) {
    return error.damage();
  } catch (const base::InputError& error) {
    return error.message();
  }
}

// Collects the damaged rows.
class Damage {
 public:
  explicit Damage(Database& database) : database_(database) {}

  void add(const std::string& table, std::int64_t id, const std::string& problem) {
    if (!problem.empty()) found_.push_back({table, id, problem});
  }

  // `look(id)` returns the problem of the row with this id, or an empty text.
  template <class Look>
  void look_at_rows(const char* table, Look look) {
    for (const std::int64_t id : database_.integers(fmt::format("SELECT id FROM {}", table)))
      add(table, id, problem_of([&] { return look(id); }));
  }

  // Adds `problem` for each id that the query returns.
  void look_by_query(const char* table, const char* query, const char* problem) {
    Statement statement = database_.prepare(query);
    while (statement.step()) add(table, statement.integer(), problem);
  }

  std::vector<DamagedRow> take() { return std::move(found_); }

 private:
  Database& database_;
  std::vector<DamagedRow> found_;
};

std::string structural_problem(Database& database) {
  return problem_of([&] {
    std::string problems;
    Statement check = database.prepare("PRAGMA integrity_check(10)");
    while (check.step()) {
      const std::string problem = messages::problems_of_pages(check.text());
      if (!problem.empty()) problems += (problems.empty() ? "" : "; ") + problem;
    }
    return problems;
  });
}

// SQLite puts quotes around names that ALTER TABLE changes, and versions of SQLite differ in this.
std::string without_quotes_and_spaces(const std::string& sql) {
  std::string text;
  for (const char character : sql)
    if (character != '"' && std::isspace(static_cast<unsigned char>(character)) == 0) text += character;
  return text;
}

std::set<std::string> schema_of(Database& database, const char* condition, const char* schema = "main") {
  std::set<std::string> texts;
  Statement statement = database.prepare(
      fmt::format("SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM {}.sqlite_master WHERE {}",
                  schema, condition));
  while (statement.step()) texts.insert(without_quotes_and_spaces(statement.text()));
  return texts;
}

// SQLite makes indices without a text by itself.
constexpr const char* kOwnTables = "sql IS NOT NULL AND name NOT LIKE 'sqlite_%'";
constexpr const char* kEverything = "type <> 'index' OR sql IS NOT NULL";

const std::set<std::string>& newest_schema() {
  static const std::set<std::string> texts = [] {
    Database made("", OpenMode::kMemory);
    make_newest_schema(made);
    return schema_of(made, kOwnTables);
  }();
  return texts;
}

}  // namespace

std::string page_problem(Database& database) {
  return messages::problems_of_pages(database.text("PRAGMA quick_check(1)"));
}

// A view whose text is damaged would return wrong values, and such a trigger would store wrong values. Tables
// that a user has added do not matter.
std::string schema_problem(Database& database) {
  const std::set<std::string> found = schema_of(database, kOwnTables);
  for (const std::string& text : newest_schema()) {
    if (!found.contains(text)) {
      return fmt::format("the schema differs from that of version {}: {}", migrations().size(),
                         text.substr(0, text.find(':')));
    }
  }
  return "";
}

std::string foreign_schema_problem(Database& database, const char* schema) {
  if (schema_of(database, kEverything, schema) == newest_schema()) return "";
  return fmt::format("its schema is not that of version {}", migrations().size());
}

// The description as JSON is what warptune reads. The other columns repeat parts of it.
std::string problem_of_gpu(Database& database, std::int64_t id) {
  static const std::string sql = [] {
    std::string condition;
    const model::GpuDescription any;
    visit_columns(any, [&](const ColumnName& column, const auto&) {
      condition += fmt::format(" AND {} = ?", column.text());
    });
    return "SELECT count(*) FROM gpu WHERE id = ? AND key = ?" + condition;
  }();
  Statement stored = database.prepare("SELECT description FROM gpu WHERE id = ?");
  const std::vector<model::GpuDescription> gpus = read_gpus(stored.bind(id));
  if (gpus.empty()) return "cannot be read";
  Statement same = database.prepare(sql);
  same.bind(id).bind(gpus.front().key());
  visit_columns(gpus.front(), [&](const ColumnName&, const auto& value) { same.bind(value); });
  return same.step() && same.integer() == 1 ? "" : "its columns differ from its description";
}

namespace {

void look_at_references(Database& database, Damage& damage) {
  Statement statement = database.prepare("PRAGMA foreign_key_check");
  while (statement.step()) {
    const std::string table = statement.text();
    const std::int64_t id = statement.integer();
    damage.add(table, id, fmt::format("names a row of the table {} that is missing", statement.text()));
  }
}

// The key has the values sorted by their names.
std::string problem_of_configuration(Database& database, std::int64_t id) {
  const CachedStatement found = database.cached_statement("SELECT key, body FROM configuration WHERE id = ?");
  found->bind(id).step();
  const std::string key = found->text();
  return key == recordings::canonical_key(recordings::parse_values(found->text()))
             ? ""
             : "its key differs from its values";
}

std::string problem_of_search(Database& database, std::int64_t id) {
  const CachedStatement found =
      database.cached_statement("SELECT search_checksum, search_state FROM session WHERE id = ?");
  found->bind(id).step();
  const bool is_missing = found->next_is_null();
  const std::int64_t checksum = found->integer();
  if (is_missing || checksum == search_checksum_of(found->text())) return "";
  return "the state of its search does not fit its checksum";
}

// The table `roof` has no ids, so the id of its damaged rows is 0.
void look_at_roofs(Database& database, Damage& damage) {
  std::vector<std::pair<std::string, std::string>> stored;
  Statement statement = database.prepare("SELECT gpu_key, name, checksum IS NULL FROM roof");
  while (statement.step()) {
    const std::string key = statement.text();
    const std::string name = statement.text();
    if (statement.boolean()) damage.add("roof", 0, fmt::format("{} of GPU {} has no checksum", name, key));
    stored.emplace_back(key, name);
  }
  for (const auto& [key, name] : stored) {
    const std::vector<model::RoofReading> intact = read_roofs(database, key);
    const bool found =
        std::any_of(intact.begin(), intact.end(),
                    [&name = name](const model::RoofReading& roof) { return roof.name == name; });
    if (!found) damage.add("roof", 0, fmt::format("{} of GPU {} does not fit its checksum", name, key));
  }
}

// In the column `preferred`, 0 and NULL mean the same. A configuration without measurements has 0 in
// `latest_replayed`, but the subquery gives NULL for it.
void look_at_derived_values(Damage& damage) {
  damage.look_by_query(
      "configuration",
      "SELECT id FROM configuration"
      " WHERE (latest_id, latest_clock, latest_ns, latest_preferred, nullif(latest_replayed, 0)) IS NOT"
      " (SELECT id, origin_id, iif(status = 'measured', median_ns, NULL), nullif(preferred, 0),"
      "  nullif(replayed, 0)"
      "  FROM measurement WHERE configuration_id = configuration.id ORDER BY replayed,"
      "  coalesce(origin_id, id) DESC, checksum DESC LIMIT 1)",
      "its latest measurement is not the one that is stored with it");
  damage.look_by_query(
      "workload",
      "SELECT id FROM workload WHERE measured <>"
      " (SELECT count(*) FROM configuration WHERE workload_id = workload.id AND latest_ns IS NOT NULL)"
      " OR evaluated <> (SELECT count(*) FROM configuration JOIN measurement"
      "  ON configuration_id = configuration.id WHERE workload_id = workload.id)",
      "its numbers of measurements and of configurations are wrong");
  damage.look_by_query(
      "measurement",
      fmt::format(
          "SELECT id FROM {} WHERE coalesce(preferred, 0) <> is_preferred UNION"
          " SELECT id FROM measurement WHERE coalesce(preferred, 0) <> 0 AND coalesce(chosen, 0) <= 0",
          merging::kChosenRows)
          .c_str(),
      "its mark as preferred contradicts the recorded choices of its workload");
  damage.look_by_query("measurement",
                       "SELECT measurement.id FROM measurement JOIN session ON session.id = session_id"
                       " JOIN configuration ON configuration.id = configuration_id"
                       " WHERE session.workload_id <> configuration.workload_id",
                       "its session and its configuration belong to different workloads");
}

}  // namespace

std::vector<DamagedRow> find_damage(Database& database) {
  Damage damage(database);
  const std::string structure = structural_problem(database);
  damage.add("", 0, structure);
  // If the structure is damaged, only rows that can still be read are checked. An error that ends these
  // checks is then not reported: the damaged structure causes it, and is reported already.
  const std::string reading = problem_of([&] {
    damage.add("", 0, schema_problem(database));
    damage.look_at_rows("gpu", [&](std::int64_t id) { return problem_of_gpu(database, id); });
    damage.look_at_rows("session", [&](std::int64_t id) { return problem_of_session(database, id); });
    damage.look_at_rows("configuration",
                        [&](std::int64_t id) { return problem_of_configuration(database, id); });
    damage.look_at_rows("session", [&](std::int64_t id) { return problem_of_search(database, id); });
    damage.look_at_rows("measurement", [&](std::int64_t id) { return problem_of_measurement(database, id); });
    damage.look_at_rows("workload_code",
                        [&](std::int64_t id) { return codes::problem_of_code(database, id); });
    look_at_references(database, damage);
    look_at_roofs(database, damage);
    look_at_derived_values(damage);
    return std::string();
  });
  if (structure.empty()) damage.add("", 0, reading);
  return damage.take();
}

}  // namespace warptune::db::storage
