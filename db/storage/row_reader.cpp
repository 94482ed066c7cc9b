// Reads rows, column by column. A value that no version of warptune writes means that the database is
// damaged.
#include "db/storage/row_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "db/recordings/values_json.h"
#include "db/storage/checksums.h"
#include "db/storage/columns.h"
#include "model/fields.h"

namespace warptune::db::storage {

namespace {

[[noreturn]] void damaged(const char* what, const std::string& found) {
  throw base::InputError(fmt::format("unknown {} '{}'", what, found));
}

// Runs `read`. If a value cannot be read, the error names the database.
template <class Read>
auto reading(const Statement& statement, Read read) {
  try {
    return read();
  } catch (const base::InputError& error) {
    statement.refuse_damaged(error.what());
  }
}

// Reads the next column into a member. If the column is NULL, the member keeps its value. NULL stands for
// NaN, or for a column that did not exist when the row was written.
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
  void read(std::uint64_t& value) const { value = statement.unsigned_integer(); }
  void read(int& value) const { value = statement.small(); }
  void read(bool& value) const { value = statement.boolean(); }
  void read(double& value) const { value = model::or_nan(statement.real()); }
  template <class T>
  void read(std::optional<T>& value) const {
    T number{};
    read(number);
    value = model::from_stored_number(number);
  }
  void read(std::vector<double>& value) const { value = statement.reals(); }
  void read(model::NamedValues& value) const { value = recordings::parse_values(statement.text()); }
  void read(model::Status& value) const {
    const std::string text = statement.text();
    const auto parsed = model::parse_status(text);
    if (!parsed) damaged("status", text);
    value = *parsed;
  }
  void read(model::RowSource& value) const {
    const std::int64_t number = statement.integer();
    if (number < 0 || number > static_cast<std::int64_t>(model::RowSource::kImported))
      damaged("source of a row", std::to_string(number));
    value = static_cast<model::RowSource>(number);
  }
  void read(model::ArithmeticUnit& value) const {
    const std::string text = statement.text();
    const auto parsed = model::parse_arithmetic_unit(text);
    if (!parsed) damaged("arithmetic unit", text);
    value = *parsed;
  }
};

// The columns of a SELECT: those in `first`, followed by `columns` of `table`.
std::string selection(const char* first, const char* table, const std::vector<std::string>& columns) {
  std::string text = first;
  for (const std::string& column : columns) text += fmt::format(", {}.{}", table, column);
  return text;
}

std::optional<std::int64_t> optional_integer(Statement& statement) {
  if (!statement.next_is_null()) return statement.integer();
  statement.skip();
  return std::nullopt;
}

ChecksummedSession session_of(Statement& statement) {
  ChecksummedSession row;
  Session& session = row.session;
  session.id = statement.integer();
  row.workload = statement.integer();
  row.checksum = optional_integer(statement);
  session.workload.kernel = statement.text();
  session.workload.kernel_hash = statement.text();
  session.workload.problem = recordings::parse_values(statement.text());
  const std::string cache = statement.text();
  const auto parsed = model::parse_cache_state(cache);
  if (!parsed) damaged("cache state", cache);
  session.workload.cache = *parsed;
  row.gpu = statement.text();
  session.workload.gpu = recordings::gpu_from_json(recordings::Json::parse(row.gpu, nullptr, false));
  visit_columns(session, ColumnReader{statement});
  return row;
}

ChecksummedMeasurement measurement_of(Statement& statement) {
  ChecksummedMeasurement row;
  StoredMeasurement& stored = row.stored;
  stored.id = statement.integer();
  stored.session_id = statement.integer();
  stored.preferred = statement.boolean();
  row.workload = statement.integer();
  row.checksum = optional_integer(statement);
  row.counter_checksum = optional_integer(statement);
  stored.measurement.configuration = recordings::parse_values(statement.text());
  visit_columns(stored.measurement, ColumnReader{statement});
  return row;
}

}  // namespace

const std::string& measurement_columns() {
  static const std::string columns = selection(
      "measurement.id, measurement.session_id, measurement.preferred, configuration.workload_id,"
      " measurement.checksum, measurement.counter_checksum, configuration.body",
      "measurement", columns_of<model::Measurement>());
  return columns;
}

const std::string& session_columns() {
  static const std::string columns = selection(
      "session.id, session.workload_id, session.checksum, kernel.name, kernel.hash, workload.problem,"
      " workload.cache_state, gpu.description",
      "session", columns_of<Session>());
  return columns;
}

const char* const kSessionTables =
    " session JOIN workload ON workload.id = session.workload_id JOIN kernel ON kernel.id = "
    "workload.kernel_id"
    " JOIN gpu ON gpu.id = session.gpu_id ";

const std::string& resource_columns() {
  static const std::string columns = [] {
    std::string text;
    const model::ResourceUse none;
    visit_fields(none, [&](const char* name, const auto&) {
      text += fmt::format("{}measurement.{}", text.empty() ? "" : ", ", name);
    });
    return text;
  }();
  return columns;
}

void read_resources(Statement& statement, model::ResourceUse& resources) {
  resources = {};
  visit_fields(resources, [&](const char* name, auto& member) {
    ColumnReader{statement}(ColumnName{"", name}, member);
  });
}

ChecksummedSession read_session(Statement& statement) {
  return reading(statement, [&] { return session_of(statement); });
}

ChecksummedMeasurement read_measurement(Statement& statement) {
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
  static const std::string sql = fmt::format("SELECT checksum, {} FROM roof WHERE gpu_key = ? ORDER BY name",
                                             fmt::join(columns_of<model::RoofReading>(), ", "));
  Statement found = database.prepare(sql);
  found.bind(gpu_key);
  std::vector<model::RoofReading> readings;
  while (found.step()) {
    const std::optional<std::int64_t> checksum = optional_integer(found);
    model::RoofReading reading;
    visit_columns(reading, ColumnReader{found});
    if (checksum && *checksum != checksum_of(gpu_key, reading)) continue;  // The roof will be measured again.
    readings.push_back(std::move(reading));
  }
  return readings;
}

model::Counters read_counters(Database& database, std::int64_t measurement) {
  const CachedStatement statement = database.cached_statement(
      "SELECT name, value FROM counter JOIN metric ON metric.id = metric_id WHERE measurement_id = ?");
  statement->bind(measurement);
  model::Counters counters;
  while (statement->step()) {
    const std::string name = statement->text();
    counters[name] = model::or_nan(statement->real());
  }
  return counters;
}

}  // namespace warptune::db::storage
