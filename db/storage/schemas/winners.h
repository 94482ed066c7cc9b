#pragma once

namespace warptune::db::storage::schemas {

/// Version 7 of the schema: the winner of each workload is found in an index. This step does not depend on
/// version 6. The table `subject` got the name `workload` in version 8.
///
/// `latest_id` of a configuration is its newest measurement. `latest_ns` is that measurement's median time if
/// its status is `measured`, else NULL. `latest_preferred` is 1 if it is the preferred one, else NULL.
/// Triggers update these columns and a workload's numbers of rows at every change of `measurement`. The
/// fastest row of a workload is therefore the first entry of the index `configuration_by_time`. The columns
/// have no foreign keys, because SQLite would then search for references whenever a row is removed.
inline constexpr const char* kVersion7 = R"sql(
ALTER TABLE configuration ADD COLUMN latest_id INTEGER;
ALTER TABLE configuration ADD COLUMN latest_ns REAL;
ALTER TABLE configuration ADD COLUMN latest_preferred INTEGER;
ALTER TABLE subject ADD COLUMN measured INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subject ADD COLUMN evaluated INTEGER NOT NULL DEFAULT 0;

UPDATE configuration SET (latest_id, latest_ns, latest_preferred) =
  (SELECT id, iif(status = 'measured', median_ns, NULL), nullif(preferred, 0) FROM measurement
   WHERE configuration_id = configuration.id ORDER BY id DESC LIMIT 1);
UPDATE subject SET
  measured = (SELECT count(*) FROM configuration WHERE subject_id = subject.id AND latest_ns IS NOT NULL),
  evaluated = (SELECT count(*) FROM configuration JOIN measurement ON configuration_id = configuration.id
               WHERE subject_id = subject.id);

CREATE INDEX kernel_by_name ON kernel(name);
CREATE INDEX session_by_gpu ON session(gpu_id, started_ms);
CREATE INDEX gpu_by_key ON gpu(key);
CREATE INDEX configuration_by_time ON configuration(subject_id, latest_ns, latest_id);
CREATE INDEX configuration_preferred ON configuration(subject_id, latest_ns, latest_id)
  WHERE latest_preferred IS NOT NULL;

CREATE TRIGGER measurement_added AFTER INSERT ON measurement BEGIN
  UPDATE configuration SET latest_id = NEW.id, latest_preferred = nullif(NEW.preferred, 0),
    latest_ns = iif(NEW.status = 'measured', NEW.median_ns, NULL)
    WHERE id = NEW.configuration_id AND (latest_id IS NULL OR latest_id < NEW.id);
  UPDATE subject SET evaluated = evaluated + 1
    WHERE id = (SELECT subject_id FROM configuration WHERE id = NEW.configuration_id);
END;
CREATE TRIGGER measurement_changed AFTER UPDATE OF status, median_ns, preferred ON measurement BEGIN
  UPDATE configuration SET latest_preferred = nullif(NEW.preferred, 0),
    latest_ns = iif(NEW.status = 'measured', NEW.median_ns, NULL)
    WHERE id = NEW.configuration_id AND latest_id = NEW.id;
END;
CREATE TRIGGER measurement_removed AFTER DELETE ON measurement BEGIN
  UPDATE configuration SET (latest_id, latest_ns, latest_preferred) =
    (SELECT id, iif(status = 'measured', median_ns, NULL), nullif(preferred, 0) FROM measurement
     WHERE configuration_id = OLD.configuration_id ORDER BY id DESC LIMIT 1)
    WHERE id = OLD.configuration_id AND latest_id = OLD.id;
  UPDATE subject SET evaluated = evaluated - 1
    WHERE id = (SELECT subject_id FROM configuration WHERE id = OLD.configuration_id);
END;
CREATE TRIGGER configuration_timed AFTER UPDATE OF latest_ns ON configuration
  WHEN (OLD.latest_ns IS NULL) <> (NEW.latest_ns IS NULL) BEGIN
  UPDATE subject SET measured = measured + iif(NEW.latest_ns IS NULL, -1, 1) WHERE id = NEW.subject_id;
END;
CREATE TRIGGER configuration_removed AFTER DELETE ON configuration WHEN OLD.latest_ns IS NOT NULL BEGIN
  UPDATE subject SET measured = measured - 1 WHERE id = OLD.subject_id;
END;

DROP VIEW winner;
DROP VIEW latest_measurement;
CREATE VIEW latest_measurement AS
  SELECT subject_id, latest_id AS measurement_id FROM configuration WHERE latest_id IS NOT NULL;
CREATE VIEW winner AS
  SELECT place.subject_id AS subject_id, place.measurement_id AS measurement_id, median_ns FROM (
    SELECT id AS subject_id, coalesce(
      (SELECT latest_id FROM configuration
       WHERE subject_id = subject.id AND latest_preferred IS NOT NULL AND latest_ns <= 1.01 *
         (SELECT latest_ns FROM configuration WHERE subject_id = subject.id AND latest_ns IS NOT NULL
          ORDER BY latest_ns LIMIT 1)
       ORDER BY latest_ns, latest_id LIMIT 1),
      (SELECT latest_id FROM configuration WHERE subject_id = subject.id AND latest_ns IS NOT NULL
       ORDER BY latest_ns, latest_id LIMIT 1)) AS measurement_id
    FROM subject) AS place
  JOIN measurement ON measurement.id = place.measurement_id;
)sql";

}  // namespace warptune::db::storage::schemas
