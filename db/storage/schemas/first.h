#pragma once

namespace warptune::db::storage::schemas {

/// Version 1 of the schema. docs/database.md describes the newest one, so change both together. Never change
/// a released step: add another one.
inline constexpr const char* kVersion1 = R"sql(
CREATE TABLE gpu(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL, compute_major INTEGER NOT NULL,
  compute_minor INTEGER NOT NULL, sm_count INTEGER NOT NULL, l2_bytes INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL, memory_bandwidth_bytes_per_s INTEGER NOT NULL, max_clock_khz INTEGER NOT NULL,
  ecc INTEGER NOT NULL, mig INTEGER NOT NULL, description TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE kernel(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE(hash, name)) STRICT;
CREATE TABLE subject(
  id INTEGER PRIMARY KEY, kernel_id INTEGER NOT NULL REFERENCES kernel, problem_key TEXT NOT NULL,
  problem TEXT NOT NULL, gpu_key TEXT NOT NULL, UNIQUE(kernel_id, problem_key, gpu_key)) STRICT;
CREATE TABLE session(
  id INTEGER PRIMARY KEY, subject_id INTEGER NOT NULL REFERENCES subject, gpu_id INTEGER NOT NULL REFERENCES gpu,
  warptune_version TEXT NOT NULL, driver_version INTEGER NOT NULL, nvrtc_version INTEGER NOT NULL,
  sm_clock_mhz INTEGER NOT NULL, memory_clock_mhz INTEGER NOT NULL, throttle_reasons TEXT NOT NULL,
  roof_memory_bytes_per_s REAL, roof_fp32_flops_per_s REAL, work_flops REAL, work_bytes REAL,
  strategy TEXT NOT NULL, seed INTEGER NOT NULL, budget TEXT NOT NULL, objective TEXT NOT NULL,
  cache_state TEXT NOT NULL, replayed INTEGER NOT NULL, started_ms INTEGER NOT NULL, finished_ms INTEGER NOT NULL,
  space_size INTEGER NOT NULL, default_configuration TEXT NOT NULL, default_key TEXT NOT NULL) STRICT;
CREATE INDEX session_by_subject ON session(subject_id);
CREATE TABLE configuration(
  id INTEGER PRIMARY KEY, subject_id INTEGER NOT NULL REFERENCES subject, key TEXT NOT NULL,
  body TEXT NOT NULL, UNIQUE(subject_id, key)) STRICT;
CREATE TABLE measurement(
  id INTEGER PRIMARY KEY, session_id INTEGER NOT NULL REFERENCES session,
  configuration_id INTEGER NOT NULL REFERENCES configuration, status TEXT NOT NULL, reason TEXT NOT NULL,
  median_ns REAL, low_ns REAL, high_ns REAL, samples BLOB NOT NULL,
  registers_per_thread INTEGER NOT NULL, static_shared_bytes INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL, local_bytes INTEGER NOT NULL, threads_per_block INTEGER NOT NULL,
  blocks INTEGER NOT NULL, blocks_per_sm INTEGER NOT NULL, theoretical_occupancy REAL,
  compile_ms REAL, measure_ms REAL, time_stamp_ms INTEGER NOT NULL) STRICT;
CREATE INDEX measurement_by_configuration ON measurement(configuration_id);
CREATE INDEX measurement_by_session ON measurement(session_id);
CREATE TABLE metric(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE counter(
  measurement_id INTEGER NOT NULL REFERENCES measurement ON DELETE CASCADE,
  metric_id INTEGER NOT NULL REFERENCES metric, value REAL, PRIMARY KEY(measurement_id, metric_id))
  STRICT, WITHOUT ROWID;

CREATE VIEW problem_entry AS
  SELECT subject.id AS subject_id, entry.key AS name, entry.type AS type, entry.value AS value
  FROM subject, json_each(subject.problem) AS entry;
CREATE VIEW latest_measurement AS
  SELECT configuration.subject_id AS subject_id, max(measurement.id) AS measurement_id
  FROM configuration JOIN measurement ON measurement.configuration_id = configuration.id
  GROUP BY configuration.id;
CREATE VIEW winner AS
  SELECT subject_id, measurement_id, median_ns FROM (
    SELECT latest_measurement.subject_id AS subject_id, measurement.id AS measurement_id, median_ns,
           row_number() OVER (PARTITION BY latest_measurement.subject_id
                              ORDER BY median_ns, measurement.id) AS place
    FROM latest_measurement JOIN measurement ON measurement.id = latest_measurement.measurement_id
    WHERE status = 'measured' AND median_ns IS NOT NULL)
  WHERE place = 1;
)sql";

}  // namespace warptune::db::storage::schemas
