#pragma once

namespace warptune::db::storage::schemas {

/// Version 9 of the schema: the new column `replayed` of a measurement says whether a session took it from a
/// recording. Rows of earlier versions get the value of their session. The checksum of a replayed row covers
/// this value, so `refresh_replayed_checksums` runs after this step.
///
/// A replayed row never replaces a row that was measured on a GPU. The latest row of a configuration is the
/// newest row that was not replayed, or else the newest replayed one. In the same way, a replayed row is the
/// winner of a workload only if there is no other. `latest_replayed` is the value `replayed` of the latest
/// row.
inline constexpr const char* kVersion9 = R"sql(
ALTER TABLE measurement ADD COLUMN replayed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE configuration ADD COLUMN latest_replayed INTEGER NOT NULL DEFAULT 0;
UPDATE measurement SET replayed = 1 WHERE session_id IN (SELECT id FROM session WHERE replayed <> 0);

DROP TRIGGER measurement_added;
DROP TRIGGER measurement_removed;
CREATE TRIGGER measurement_added AFTER INSERT ON measurement BEGIN
  UPDATE configuration SET latest_id = NEW.id, latest_replayed = NEW.replayed,
    latest_preferred = nullif(NEW.preferred, 0),
    latest_ns = iif(NEW.status = 'measured', NEW.median_ns, NULL)
    WHERE id = NEW.configuration_id AND (latest_id IS NULL OR NEW.replayed < latest_replayed
      OR (NEW.replayed = latest_replayed AND latest_id < NEW.id));
  UPDATE workload SET evaluated = evaluated + 1
    WHERE id = (SELECT workload_id FROM configuration WHERE id = NEW.configuration_id);
END;
CREATE TRIGGER measurement_removed AFTER DELETE ON measurement BEGIN
  UPDATE configuration SET (latest_id, latest_ns, latest_preferred) =
    (SELECT id, iif(status = 'measured', median_ns, NULL), nullif(preferred, 0) FROM measurement
     WHERE configuration_id = OLD.configuration_id ORDER BY replayed, id DESC LIMIT 1),
    latest_replayed = coalesce(
      (SELECT min(replayed) FROM measurement WHERE configuration_id = OLD.configuration_id), 0)
    WHERE id = OLD.configuration_id AND latest_id = OLD.id;
  UPDATE workload SET evaluated = evaluated - 1
    WHERE id = (SELECT workload_id FROM configuration WHERE id = OLD.configuration_id);
END;

UPDATE configuration SET (latest_id, latest_ns, latest_preferred, latest_replayed) =
  (SELECT id, iif(status = 'measured', median_ns, NULL), nullif(preferred, 0), replayed FROM measurement
   WHERE configuration_id = configuration.id ORDER BY replayed, id DESC LIMIT 1)
  WHERE id IN (SELECT configuration_id FROM measurement WHERE replayed <> 0);

DROP VIEW winner;
DROP INDEX configuration_by_time;
DROP INDEX configuration_preferred;
CREATE INDEX configuration_by_time ON configuration(workload_id, latest_replayed, latest_ns, latest_id);
CREATE INDEX configuration_preferred ON configuration(workload_id, latest_replayed, latest_ns, latest_id)
  WHERE latest_preferred IS NOT NULL;
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
       ORDER BY latest_ns, latest_id LIMIT 1),
      (SELECT latest_id FROM configuration
       WHERE workload_id = workload.id AND latest_replayed = 1 AND latest_ns IS NOT NULL
       ORDER BY latest_ns, latest_id LIMIT 1)) AS measurement_id
    FROM workload) AS place
  JOIN measurement ON measurement.id = place.measurement_id;
)sql";

}  // namespace warptune::db::storage::schemas
