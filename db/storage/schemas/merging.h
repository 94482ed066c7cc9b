#pragma once

namespace warptune::db::storage::schemas {

/// Version 10 of the schema: rows can be recognised in other databases, so that databases can be merged
/// (docs/database.md, "Merging").
///
/// * `session.origin` is a random number, and `session.origin_id` the id that the session had in the file in
///   which it was made. The pair identifies the session in every database. Sessions of earlier versions get
///   an origin that is computed from their content (`name_origins`), so two copies of an old file agree.
/// * `measurement.origin_id` is NULL in the file in which the row was made, and elsewhere the id that it had
///   there. `coalesce(origin_id, id)` identifies it within its session. As new ids are larger than all that
///   the file knows, this number is also a logical clock: it decides which measurement is the latest.
/// * `revision` grows with each change of a row.
/// * `measurement.chosen` is the number of the choice by which the row became the preferred one. The row with
///   the largest number of its workload is the preferred one (`preferred` is 1) as long as it is measured.
/// * `session.search_checksum` is the checksum of `search_state`, which is not part of the row's checksum.
/// * `deletion` has what was deleted. `measurement_id` is 0 if the whole session was deleted.
/// * `configuration.latest_clock` is the `origin_id` of its latest measurement.
///
/// The trigger `measurement_merged` computes the latest measurement of a configuration again, because a row
/// of another database may be older than those that are known. The winner among equally fast rows no longer
/// depends on local ids.
inline constexpr const char* kVersion10 = R"sql(
ALTER TABLE session ADD COLUMN origin INTEGER;
ALTER TABLE session ADD COLUMN origin_id INTEGER;
ALTER TABLE session ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN search_checksum INTEGER;
ALTER TABLE measurement ADD COLUMN origin_id INTEGER;
ALTER TABLE measurement ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurement ADD COLUMN chosen INTEGER;
ALTER TABLE configuration ADD COLUMN latest_clock INTEGER;
ALTER TABLE roof ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
CREATE TABLE deletion(
  origin INTEGER NOT NULL, session_id INTEGER NOT NULL, measurement_id INTEGER NOT NULL,
  PRIMARY KEY(origin, session_id, measurement_id)) STRICT, WITHOUT ROWID;
UPDATE measurement SET chosen = 1 WHERE preferred = 1;
CREATE INDEX measurement_chosen ON measurement(chosen) WHERE chosen IS NOT NULL;
DROP INDEX configuration_by_time;
CREATE INDEX configuration_by_time ON configuration(
  workload_id, latest_replayed, latest_ns, coalesce(latest_clock, latest_id), latest_id);
CREATE UNIQUE INDEX session_by_origin ON session(origin, origin_id);
CREATE UNIQUE INDEX measurement_by_origin ON measurement(session_id, origin_id) WHERE origin_id IS NOT NULL;

CREATE TRIGGER session_added AFTER INSERT ON session WHEN NEW.origin IS NULL BEGIN
  UPDATE session SET origin = random(), origin_id = id WHERE id = NEW.id;
END;

DROP TRIGGER measurement_added;
DROP TRIGGER measurement_removed;
CREATE TRIGGER measurement_added AFTER INSERT ON measurement WHEN NEW.origin_id IS NULL BEGIN
  UPDATE configuration SET latest_id = NEW.id, latest_replayed = NEW.replayed,
    latest_preferred = nullif(NEW.preferred, 0), latest_clock = NULL,
    latest_ns = iif(NEW.status = 'measured', NEW.median_ns, NULL)
    WHERE id = NEW.configuration_id AND (latest_id IS NULL OR NEW.replayed < latest_replayed
      OR (NEW.replayed = latest_replayed AND latest_id < NEW.id));
  UPDATE workload SET evaluated = evaluated + 1
    WHERE id = (SELECT workload_id FROM configuration WHERE id = NEW.configuration_id);
END;
CREATE TRIGGER measurement_merged AFTER INSERT ON measurement WHEN NEW.origin_id IS NOT NULL BEGIN
  UPDATE configuration SET latest_id = NEW.id, latest_replayed = NEW.replayed,
    latest_preferred = nullif(NEW.preferred, 0), latest_clock = NEW.origin_id,
    latest_ns = iif(NEW.status = 'measured', NEW.median_ns, NULL)
    WHERE id = NEW.configuration_id AND (latest_id IS NULL OR NEW.replayed < latest_replayed
      OR (NEW.replayed = latest_replayed AND (NEW.origin_id > coalesce(latest_clock, latest_id)
        OR (NEW.origin_id = coalesce(latest_clock, latest_id) AND NEW.checksum >
          (SELECT coalesce(checksum, -9223372036854775808) FROM measurement WHERE id = latest_id)))));
  UPDATE workload SET evaluated = evaluated + 1
    WHERE id = (SELECT workload_id FROM configuration WHERE id = NEW.configuration_id);
END;
CREATE TRIGGER measurement_removed AFTER DELETE ON measurement BEGIN
  UPDATE configuration SET (latest_id, latest_clock, latest_ns, latest_preferred) =
    (SELECT id, origin_id, iif(status = 'measured', median_ns, NULL), nullif(preferred, 0) FROM measurement
     WHERE configuration_id = OLD.configuration_id
     ORDER BY replayed, coalesce(origin_id, id) DESC, checksum DESC LIMIT 1),
    latest_replayed = coalesce(
      (SELECT min(replayed) FROM measurement WHERE configuration_id = OLD.configuration_id), 0)
    WHERE id = OLD.configuration_id AND latest_id = OLD.id;
  UPDATE workload SET evaluated = evaluated - 1
    WHERE id = (SELECT workload_id FROM configuration WHERE id = OLD.configuration_id);
END;

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
       ORDER BY latest_ns, coalesce(latest_clock, latest_id), key LIMIT 1)) AS measurement_id
    FROM workload) AS place
  JOIN measurement ON measurement.id = place.measurement_id;
)sql";

}  // namespace warptune::db::storage::schemas
