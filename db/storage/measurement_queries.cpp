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

std::string latest_times(const std::vector<std::int64_t>& workloads) {
  // The condition on `latest_replayed` always holds. With it, SQLite also uses the column `latest_ns` of the
  // index `configuration_by_time`.
  if (workloads.size() == 1) {
    return fmt::format(
        "(SELECT latest_id, latest_replayed, latest_ns FROM configuration WHERE workload_id = {}"
        " AND latest_replayed IN (0, 1, 2) AND latest_ns IS NOT NULL) AS latest",
        workloads.front());
  }
  // The multiple of 2^61 is larger than any difference of ids. So a measured row has a larger sum than a
  // replayed one, and a replayed row than an imported one. SQLite takes the other columns from the row that
  // has the maximum (https://sqlite.org/lang_select.html, section 2.5).
  return fmt::format(
      "(SELECT latest_id, latest_replayed, latest_ns FROM"
      " (SELECT latest_id, latest_replayed, latest_ns, max(latest_id + (2 - latest_replayed) * (1 << 61))"
      " FROM configuration WHERE workload_id IN ({}) AND latest_id IS NOT NULL GROUP BY key)"
      " WHERE latest_ns IS NOT NULL) AS latest",
      fmt::join(workloads, ", "));
}

std::vector<std::int64_t> workload_ids(Database& database, const model::Workload& workload) {
  Statement found = database.prepare(
      "SELECT workload.id FROM kernel JOIN workload ON kernel_id = kernel.id"
      " WHERE kernel.hash = ? AND problem_key = ? AND gpu_key = ? AND cache_state = ? ORDER BY workload.id");
  found.bind(workload.kernel_hash).bind(recordings::canonical_key(workload.problem)).bind(workload.gpu.key());
  found.bind(model::to_string(workload.cache));
  std::vector<std::int64_t> ids;
  while (found.step()) ids.push_back(found.integer());
  return ids;
}

}  // namespace warptune::db::storage
