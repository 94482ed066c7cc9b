#pragma once

namespace warptune::db::storage::schemas {

/// Version 11 of the schema: rows can be imported from files. `replayed` of a measurement or a session is
/// then 2
/// (`model::RowSource`). The triggers of version 10 compare these numbers, so an imported row never replaces
/// a measured or a replayed one. The view `winner` shows an imported row only where no other row has a time.
inline constexpr const char* kVersion11 = R"sql(
DROP VIEW winner;
CREATE VIEW winner AS
  SELECT place.workload_id AS workload_id, place.measurement_id AS measurement_id, median_ns FROM (
    SELECT id AS workload_id, coalesce(
      (SELECT latest_id FROM configuration
       WHERE workload_id = workload.id AND latest_preferred IS NOT NULL AND latest_replayed = 0
         AND latest_ns <= 1.01 *
         (SELECT latest_ns FROM configuration
          WHERE workload_id = workload.id AND latest_replayed = 0 AND latest_ns IS NOT NULL
          ORDER BY latest_ns LIMIT 1)
       ORDER BY latest_ns, latest_id LIMIT 1),
      (SELECT latest_id FROM configuration
       WHERE workload_id = workload.id AND latest_replayed = 0 AND latest_ns IS NOT NULL
       ORDER BY latest_ns, coalesce(latest_clock, latest_id), key LIMIT 1),
      (SELECT latest_id FROM configuration
       WHERE workload_id = workload.id AND latest_replayed = 1 AND latest_ns IS NOT NULL
       ORDER BY latest_ns, coalesce(latest_clock, latest_id), key LIMIT 1),
      (SELECT latest_id FROM configuration
       WHERE workload_id = workload.id AND latest_replayed = 2 AND latest_ns IS NOT NULL
       ORDER BY latest_ns, coalesce(latest_clock, latest_id), key LIMIT 1)) AS measurement_id
    FROM workload) AS place
  JOIN measurement ON measurement.id = place.measurement_id;
)sql";

}  // namespace warptune::db::storage::schemas
