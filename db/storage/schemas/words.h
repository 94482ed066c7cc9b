#pragma once

namespace warptune::db::storage::schemas {

/// Version 8 of the schema: the table `subject` becomes `workload`, and `seal` becomes `checksum`. No row
/// changes. The checksums stay the same, because they cover none of these names.
inline constexpr const char* kVersion8 = R"sql(
DROP VIEW winner;
DROP VIEW latest_measurement;
DROP VIEW problem_entry;
DROP INDEX session_by_subject;
ALTER TABLE subject RENAME TO workload;
ALTER TABLE session RENAME COLUMN subject_id TO workload_id;
ALTER TABLE configuration RENAME COLUMN subject_id TO workload_id;
ALTER TABLE measurement RENAME COLUMN seal TO checksum;
ALTER TABLE measurement RENAME COLUMN counter_seal TO counter_checksum;
ALTER TABLE session RENAME COLUMN seal TO checksum;
ALTER TABLE roof RENAME COLUMN seal TO checksum;
CREATE INDEX session_by_workload ON session(workload_id);
CREATE VIEW problem_entry AS
  SELECT workload.id AS workload_id, entry.key AS name, entry.type AS type, entry.value AS value
  FROM workload, json_each(workload.problem) AS entry;
CREATE VIEW latest_measurement AS
  SELECT workload_id, latest_id AS measurement_id FROM configuration WHERE latest_id IS NOT NULL;
CREATE VIEW winner AS
  SELECT place.workload_id AS workload_id, place.measurement_id AS measurement_id, median_ns FROM (
    SELECT id AS workload_id, coalesce(
      (SELECT latest_id FROM configuration
       WHERE workload_id = workload.id AND latest_preferred IS NOT NULL AND latest_ns <= 1.01 *
         (SELECT latest_ns FROM configuration WHERE workload_id = workload.id AND latest_ns IS NOT NULL
          ORDER BY latest_ns LIMIT 1)
       ORDER BY latest_ns, latest_id LIMIT 1),
      (SELECT latest_id FROM configuration WHERE workload_id = workload.id AND latest_ns IS NOT NULL
       ORDER BY latest_ns, latest_id LIMIT 1)) AS measurement_id
    FROM workload) AS place
  JOIN measurement ON measurement.id = place.measurement_id;
)sql";

}  // namespace warptune::db::storage::schemas
