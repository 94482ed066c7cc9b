#include "db/storage/rows.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "db/recordings/values_json.h"
#include "db/storage/columns.h"
#include "db/storage/seal.h"

namespace warptune::db::storage {

namespace {

[[noreturn]] void damaged(const char* what, const std::string& found) {
  throw base::InputError(fmt::format("unknown {} '{}'", what, found));
}

// What cannot be read of a row names the database.
template <class Read>
auto reading(const Statement& statement, Read read) {
  try {
    return read();
  } catch (const base::InputError& error) {
    statement.refuse_damaged(error.what());
  }
}

// Binds a member to the next `?`.
struct ColumnBinder {
  Statement& statement;

  template <class T>
  void operator()(const ColumnName&, const T& value) const {
    statement.bind(value);
  }
  void operator()(const ColumnName&, model::Status status) const { statement.bind(model::to_string(status)); }
  void operator()(const ColumnName&, model::ArithmeticUnit unit) const {
    statement.bind(model::to_string(unit));
  }
  void operator()(const ColumnName&, const model::NamedValues& values) const {
    statement.bind(recordings::compact(values));
  }
};

// Reads the next column into a member. NULL leaves the member as it is: a column that the row's schema did
// not have yet, or NaN.
struct ColumnReader {
  Statement& statement;

  template <class T>
  void operator()(const ColumnName&, T& value) const {
    if (statement.next_is_null()) return statement.skip();
    read(value);
  }

 private:
  void read(std::string& value) const { value = statement.text(); }
  void read(std::int64_t& value) const { value = statement.integer(); }
  void read(std::uint64_t& value) const { value = statement.natural(); }
  void read(int& value) const { value = statement.small(); }
  void read(bool& value) const { value = statement.boolean(); }
  void read(double& value) const { value = statement.real(); }
  void read(std::vector<double>& value) const { value = statement.reals(); }
  void read(model::NamedValues& value) const { value = recordings::parse_values(statement.text()); }
  void read(model::Status& value) const {
    const std::string text = statement.text();
    const auto parsed = model::parse_status(text);
    if (!parsed) damaged("status", text);
    value = *parsed;
  }
  void read(model::ArithmeticUnit& value) const {
    const std::string text = statement.text();
    const auto parsed = model::parse_arithmetic_unit(text);
    if (!parsed) damaged("arithmetic unit", text);
    value = *parsed;
  }
};

using Names = std::vector<std::string>;

// `keys` come first.
std::string insertion(const char* table, Names keys, const Names& columns) {
  keys.insert(keys.end(), columns.begin(), columns.end());
  return fmt::format("INSERT INTO {}({}) VALUES({})", table, fmt::join(keys, ", "),
                     fmt::join(Names(keys.size(), "?"), ", "));
}

// The columns of a table after those that `first` names.
std::string selection(const char* first, const char* table, const Names& columns) {
  std::string text = first;
  for (const std::string& column : columns) text += fmt::format(", {}.{}", table, column);
  return text;
}

}  // namespace

const std::string& measurement_columns() {
  static const std::string columns = selection(
      "measurement.id, measurement.session_id, measurement.preferred, configuration.subject_id,"
      " measurement.seal, measurement.counter_seal, configuration.body",
      "measurement", columns_of<model::Measurement>());
  return columns;
}

const std::string& session_columns() {
  static const std::string columns = selection(
      "session.id, session.subject_id, session.seal, kernel.name, kernel.hash, subject.problem,"
      " subject.cache_state, gpu.description",
      "session", columns_of<Session>());
  return columns;
}

const char* const kSessionTables =
    " session JOIN subject ON subject.id = session.subject_id JOIN kernel ON kernel.id = subject.kernel_id"
    " JOIN gpu ON gpu.id = session.gpu_id ";

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

std::int64_t subject_id(Database& database, const model::Subject& subject) {
  database.prepare("INSERT INTO kernel(name, hash) VALUES(?, ?) ON CONFLICT DO NOTHING")
      .bind(subject.kernel)
      .bind(subject.kernel_hash)
      .run();
  const std::string problem_key = recordings::canonical_key(subject.problem);
  database
      .prepare(
          "INSERT INTO subject(kernel_id, problem_key, problem, gpu_key, cache_state)"
          " SELECT id, ?, ?, ?, ? FROM kernel WHERE name = ? AND hash = ? ON CONFLICT DO NOTHING")
      .bind(problem_key)
      .bind(recordings::compact(subject.problem))
      .bind(subject.gpu.key())
      .bind(model::to_string(subject.cache))
      .bind(subject.kernel)
      .bind(subject.kernel_hash)
      .run();
  Statement found = database.prepare(
      "SELECT subject.id FROM subject JOIN kernel ON kernel.id = kernel_id"
      " WHERE name = ? AND hash = ? AND problem_key = ? AND gpu_key = ? AND cache_state = ?");
  found.bind(subject.kernel).bind(subject.kernel_hash).bind(problem_key).bind(subject.gpu.key());
  found.bind(model::to_string(subject.cache)).step();
  return found.integer();
}

std::int64_t configuration_id(Database& database, std::int64_t subject, const model::NamedValues& values) {
  const std::string key = recordings::canonical_key(values);
  const Lease insert = database.lease(
      "INSERT INTO configuration(subject_id, key, body) VALUES(?, ?, ?) ON CONFLICT DO NOTHING");
  insert->bind(subject).bind(key).bind(recordings::compact(values)).step();
  if (database.changes() == 1) return database.last_insert_id();
  const Lease found = database.lease("SELECT id FROM configuration WHERE subject_id = ? AND key = ?");
  found->bind(subject).bind(key).step();
  return found->integer();
}

std::int64_t insert_session(Database& database, const Session& session) {
  static const std::string sql =
      insertion("session", {"subject_id", "gpu_id", "default_key", "seal"}, columns_of<Session>());
  const std::int64_t subject = subject_id(database, session.subject);
  const std::int64_t gpu = gpu_id(database, session.subject.gpu);
  Statement insert = database.prepare(sql);
  insert.bind(subject).bind(gpu).bind(recordings::canonical_key(session.default_configuration));
  insert.bind(seal_of(mark_of_subject(database, subject),
                      recordings::compact(recordings::to_json(session.subject.gpu)), session));
  visit_columns(session, ColumnBinder{insert});
  insert.run();
  return database.last_insert_id();
}

void update_session_roofs(Database& database, std::int64_t session, const model::Roofs& roofs) {
  std::string assignments;
  visit_roof_columns(roofs, [&](const ColumnName& column, const auto&) {
    assignments += (assignments.empty() ? "" : ", ") + column.text() + " = ?";
  });
  Statement update = database.prepare("UPDATE session SET " + assignments + " WHERE id = ?");
  visit_roof_columns(roofs, ColumnBinder{update});
  update.bind(session).run();
}

// Their statements are let go of on return: one under way would hold a transaction open.
std::int64_t subject_of_session(Database& database, std::int64_t session) {
  const auto known = database.known_subjects().find(session);
  if (known != database.known_subjects().end()) return known->second;
  const Lease found = database.lease("SELECT subject_id FROM session WHERE id = ?");
  if (!found->bind(session).step())
    throw base::InternalError(fmt::format("no session {} in the database", session));
  return database.known_subjects()[session] = found->integer();
}

std::uint64_t mark_of_subject(Database& database, std::int64_t subject) {
  const auto known = database.known_marks().find(subject);
  if (known != database.known_marks().end()) return known->second;
  const Lease found = database.lease(
      "SELECT kernel.name, kernel.hash, problem_key, gpu_key, cache_state FROM subject"
      " JOIN kernel ON kernel.id = kernel_id WHERE subject.id = ?");
  if (!found->bind(subject).step()) return 0;
  std::array<std::string, 5> texts;
  for (std::string& text : texts) text = found->text();
  return database.known_marks()[subject] = mark_of(texts[0], texts[1], texts[2], texts[3], texts[4]);
}

std::int64_t insert_measurement(Database& database, std::int64_t session,
                                const model::Measurement& measurement) {
  static const std::string sql =
      insertion("measurement", {"session_id", "configuration_id", "seal", "counter_seal"},
                columns_of<model::Measurement>());
  const std::int64_t subject = subject_of_session(database, session);
  const std::int64_t configuration = configuration_id(database, subject, measurement.configuration);
  std::int64_t id = 0;
  {
    const Lease insert = database.lease(sql.c_str());
    insert->bind(session).bind(configuration);
    insert->bind(seal_of(mark_of_subject(database, subject), session, measurement));
    insert->bind(seal_of(measurement.counters));
    visit_columns(measurement, ColumnBinder{*insert});
    insert->step();
    id = database.last_insert_id();
  }
  insert_counters(database, id, measurement.counters);
  return id;
}

void insert_roof(Database& database, const std::string& gpu_key, const model::RoofReading& reading) {
  static const std::string sql = insertion("roof", {"gpu_key", "seal"}, columns_of<model::RoofReading>());
  Statement insert = database.prepare(sql);
  insert.bind(gpu_key).bind(seal_of(gpu_key, reading));
  visit_columns(reading, ColumnBinder{insert});
  insert.run();
}

namespace {

std::int64_t metric_id(Database& database, const std::string& name) {
  std::unordered_map<std::string, std::int64_t>& known = database.known_ids();
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  database.prepare("INSERT INTO metric(name) VALUES(?) ON CONFLICT DO NOTHING").bind(name).run();
  Statement id = database.prepare("SELECT id FROM metric WHERE name = ?");
  id.bind(name).step();
  return known[name] = id.integer();
}

}  // namespace

void insert_counters(Database& database, std::int64_t measurement, const model::Counters& counters) {
  if (counters.empty()) return;
  const Lease insert =
      database.lease("INSERT INTO counter(measurement_id, metric_id, value) VALUES(?, ?, ?)");
  for (const auto& [name, value] : counters)
    insert->bind(measurement).bind(metric_id(database, name)).bind(value).run();
}

namespace {

std::optional<std::int64_t> optional_integer(Statement& statement) {
  if (!statement.next_is_null()) return statement.integer();
  statement.skip();
  return std::nullopt;
}

SealedSession session_of(Statement& statement) {
  SealedSession sealed;
  Session& session = sealed.session;
  session.id = statement.integer();
  sealed.subject = statement.integer();
  sealed.seal = optional_integer(statement);
  session.subject.kernel = statement.text();
  session.subject.kernel_hash = statement.text();
  session.subject.problem = recordings::parse_values(statement.text());
  const std::string cache = statement.text();
  const auto parsed = model::parse_cache_state(cache);
  if (!parsed) damaged("cache state", cache);
  session.subject.cache = *parsed;
  sealed.gpu = statement.text();
  session.subject.gpu = recordings::gpu_from_json(recordings::Json::parse(sealed.gpu, nullptr, false));
  visit_columns(session, ColumnReader{statement});
  return sealed;
}

SealedMeasurement measurement_of(Statement& statement) {
  SealedMeasurement sealed;
  StoredMeasurement& stored = sealed.stored;
  stored.id = statement.integer();
  stored.session_id = statement.integer();
  stored.preferred = statement.boolean();
  sealed.subject = statement.integer();
  sealed.seal = optional_integer(statement);
  sealed.counter_seal = optional_integer(statement);
  stored.measurement.configuration = recordings::parse_values(statement.text());
  visit_columns(stored.measurement, ColumnReader{statement});
  return sealed;
}

}  // namespace

SealedSession read_session(Statement& statement) {
  return reading(statement, [&] { return session_of(statement); });
}

SealedMeasurement read_measurement(Statement& statement) {
  return reading(statement, [&] { return measurement_of(statement); });
}

std::vector<model::GpuDescription> read_gpus(Statement& statement) {
  std::vector<model::GpuDescription> gpus;
  while (statement.step())
    gpus.push_back(reading(statement, [&] {
      return recordings::gpu_from_json(recordings::Json::parse(statement.text(), nullptr, false));
    }));
  return gpus;
}

std::vector<model::RoofReading> read_roofs(Database& database, const std::string& gpu_key) {
  static const std::string sql = fmt::format("SELECT seal, {} FROM roof WHERE gpu_key = ? ORDER BY name",
                                             fmt::join(columns_of<model::RoofReading>(), ", "));
  Statement found = database.prepare(sql);
  found.bind(gpu_key);
  std::vector<model::RoofReading> readings;
  while (found.step()) {
    const std::optional<std::int64_t> seal = optional_integer(found);
    model::RoofReading reading;
    visit_columns(reading, ColumnReader{found});
    if (seal && *seal != seal_of(gpu_key, reading)) continue;  // It is measured anew.
    readings.push_back(std::move(reading));
  }
  return readings;
}

model::Counters read_counters(Database& database, std::int64_t measurement) {
  const Lease statement = database.lease(
      "SELECT name, value FROM counter JOIN metric ON metric.id = metric_id WHERE measurement_id = ?");
  statement->bind(measurement);
  model::Counters counters;
  while (statement->step()) {
    const std::string name = statement->text();
    counters[name] = statement->real();
  }
  return counters;
}

}  // namespace warptune::db::storage
