#include "db/storage/measurement_queries.h"

#include <fmt/format.h>

#include "db/recordings/values_json.h"
#include "db/storage/row_reader.h"

namespace warptune::db::storage {

std::string measurement_query(const std::string& condition) {
  return fmt::format(
      "SELECT {} FROM measurement JOIN configuration ON configuration.id = configuration_id WHERE {}",
      measurement_columns(), condition);
}

std::vector<std::int64_t> subject_ids(Database& database, const model::Subject& subject) {
  Statement found = database.prepare(
      "SELECT subject.id FROM kernel JOIN subject ON kernel_id = kernel.id"
      " WHERE kernel.hash = ? AND problem_key = ? AND gpu_key = ? AND cache_state = ? ORDER BY subject.id");
  found.bind(subject.kernel_hash).bind(recordings::canonical_key(subject.problem)).bind(subject.gpu.key());
  found.bind(model::to_string(subject.cache));
  std::vector<std::int64_t> ids;
  while (found.step()) ids.push_back(found.integer());
  return ids;
}

}  // namespace warptune::db::storage
