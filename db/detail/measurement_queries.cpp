#include "db/detail/measurement_queries.h"

#include <fmt/format.h>

#include <utility>

#include "db/detail/rows.h"
#include "db/detail/values_json.h"

namespace warptune::db::detail {

std::string measurement_query(const std::string& condition) {
  return fmt::format(
      "SELECT {} FROM measurement JOIN configuration ON configuration.id = configuration_id WHERE {}",
      measurement_columns(), condition);
}

std::vector<StoredMeasurement> read_measurements(Database& database, Statement& statement,
                                                 bool with_counters) {
  std::vector<StoredMeasurement> all;
  while (statement.step()) all.push_back(read_measurement(statement));
  if (!with_counters) return all;
  for (StoredMeasurement& stored : all) stored.measurement.counters = read_counters(database, stored.id);
  return all;
}

std::optional<StoredMeasurement> measurement_by_id(Database& database, std::int64_t id) {
  Statement statement = database.prepare(measurement_query("measurement.id = ?"));
  statement.bind(id);
  std::vector<StoredMeasurement> found = read_measurements(database, statement);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<std::int64_t> subject_ids(Database& database, const search::Subject& subject) {
  Statement found = database.prepare(
      "SELECT subject.id FROM kernel JOIN subject ON kernel_id = kernel.id"
      " WHERE kernel.hash = ? AND problem_key = ? AND gpu_key = ? AND cache_state = ? ORDER BY subject.id");
  found.bind(subject.kernel_hash).bind(canonical_key(subject.problem)).bind(subject.gpu.key());
  found.bind(search::to_string(subject.cache));
  std::vector<std::int64_t> ids;
  while (found.step()) ids.push_back(found.integer());
  return ids;
}

}  // namespace warptune::db::detail
