#include "db/detail/rows.h"

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/error.h"
#include "db/detail/values_json.h"

namespace warptune::db::detail {

const char* const kMeasurementColumns =
    " measurement.id, measurement.session_id, configuration.body, status, reason, median_ns, low_ns, "
    "high_ns, samples,"
    " registers_per_thread, static_shared_bytes, dynamic_shared_bytes, local_bytes, threads_per_block, "
    "blocks,"
    " blocks_per_sm, theoretical_occupancy, compile_ms, measure_ms, time_stamp_ms, preferred ";

const char* const kSessionColumns =
    " session.id, kernel.name, kernel.hash, subject.problem, subject.cache_state, gpu.description, "
    "warptune_version, "
    "driver_version,"
    " nvrtc_version, sm_clock_mhz, memory_clock_mhz, throttle_reasons, roof_copy_bytes_per_s,"
    " roof_fp32_theory_flops_per_s, roof_read_bytes_per_s, roof_fp32_measured_flops_per_s, "
    "roof_fp64_flops_per_s,"
    " roof_tensor_flops_per_s, work_flops, work_bytes, work_unit, work_written_share, strategy, seed, "
    "budget, objective, "
    "replayed,"
    " started_ms, finished_ms, space_size, default_configuration ";

const char* const kSessionTables =
    " session JOIN subject ON subject.id = session.subject_id JOIN kernel ON kernel.id = subject.kernel_id"
    " JOIN gpu ON gpu.id = session.gpu_id ";

std::int64_t gpu_id(Database& database, const search::GpuDescription& gpu) {
  const std::string description = compact(to_json(gpu));
  database
      .prepare(
          "INSERT INTO gpu(key, name, compute_major, compute_minor, sm_count, l2_bytes, memory_bytes,"
          " memory_bandwidth_bytes_per_s, max_clock_khz, ecc, mig, description)"
          " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .bind(gpu.key())
      .bind(gpu.name)
      .bind(gpu.compute_major)
      .bind(gpu.compute_minor)
      .bind(gpu.sm_count)
      .bind(gpu.l2_bytes)
      .bind(gpu.memory_bytes)
      .bind(gpu.memory_bandwidth_bytes_per_s)
      .bind(gpu.max_clock_khz)
      .bind(gpu.ecc)
      .bind(gpu.mig)
      .bind(description)
      .run();
  Statement found = database.prepare("SELECT id FROM gpu WHERE description = ?");
  found.bind(description).step();
  return found.integer();
}

std::int64_t subject_id(Database& database, const search::Subject& subject) {
  database.prepare("INSERT INTO kernel(name, hash) VALUES(?, ?) ON CONFLICT DO NOTHING")
      .bind(subject.kernel)
      .bind(subject.kernel_hash)
      .run();
  const std::string problem_key = canonical_key(subject.problem);
  database
      .prepare(
          "INSERT INTO subject(kernel_id, problem_key, problem, gpu_key, cache_state)"
          " SELECT id, ?, ?, ?, ? FROM kernel WHERE name = ? AND hash = ? ON CONFLICT DO NOTHING")
      .bind(problem_key)
      .bind(compact(subject.problem))
      .bind(subject.gpu.key())
      .bind(search::to_string(subject.cache))
      .bind(subject.kernel)
      .bind(subject.kernel_hash)
      .run();
  Statement found = database.prepare(
      "SELECT subject.id FROM subject JOIN kernel ON kernel.id = kernel_id"
      " WHERE name = ? AND hash = ? AND problem_key = ? AND gpu_key = ? AND cache_state = ?");
  found.bind(subject.kernel).bind(subject.kernel_hash).bind(problem_key).bind(subject.gpu.key());
  found.bind(search::to_string(subject.cache)).step();
  return found.integer();
}

std::int64_t configuration_id(Database& database, std::int64_t subject, const search::NamedValues& values) {
  const std::string key = canonical_key(values);
  const Lease insert = database.lease(
      "INSERT INTO configuration(subject_id, key, body) VALUES(?, ?, ?) ON CONFLICT DO NOTHING");
  insert->bind(subject).bind(key).bind(compact(values)).step();
  if (database.changes() == 1) return database.last_insert_id();
  const Lease found = database.lease("SELECT id FROM configuration WHERE subject_id = ? AND key = ?");
  found->bind(subject).bind(key).step();
  return found->integer();
}

std::int64_t insert_session(Database& database, const Session& session) {
  const std::int64_t subject = subject_id(database, session.subject);
  const std::int64_t gpu = gpu_id(database, session.subject.gpu);
  database
      .prepare(
          "INSERT INTO session(subject_id, gpu_id, warptune_version, driver_version, nvrtc_version, "
          "sm_clock_mhz,"
          " memory_clock_mhz, throttle_reasons, roof_copy_bytes_per_s, roof_fp32_theory_flops_per_s,"
          " roof_read_bytes_per_s, roof_fp32_measured_flops_per_s, roof_fp64_flops_per_s,"
          " roof_tensor_flops_per_s, work_flops, work_bytes, work_unit, work_written_share, strategy, seed, "
          "budget, objective, "
          "replayed, started_ms, finished_ms,"
          " space_size, default_configuration, default_key)"
          " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(subject)
      .bind(gpu)
      .bind(session.environment.warptune_version)
      .bind(session.environment.driver_version)
      .bind(session.environment.nvrtc_version)
      .bind(session.environment.sm_clock_mhz)
      .bind(session.environment.memory_clock_mhz)
      .bind(session.environment.throttle_reasons)
      .bind(session.roofs.copy_bytes_per_s)
      .bind(session.roofs.fp32_theory_flops_per_s)
      .bind(session.roofs.read_bytes_per_s)
      .bind(session.roofs.fp32_measured_flops_per_s)
      .bind(session.roofs.fp64_flops_per_s)
      .bind(session.roofs.tensor_flops_per_s)
      .bind(session.work.flops)
      .bind(session.work.bytes)
      .bind(search::to_string(session.work.unit))
      .bind(session.work.written_share)
      .bind(session.strategy)
      .bind(session.seed)
      .bind(session.budget)
      .bind(session.objective)
      .bind(session.replayed)
      .bind(session.started_ms)
      .bind(session.finished_ms)
      .bind(session.space_size)
      .bind(compact(session.default_configuration))
      .bind(canonical_key(session.default_configuration))
      .run();
  return database.last_insert_id();
}

std::int64_t insert_measurement(Database& database, std::int64_t session, std::int64_t configuration,
                                const search::Measurement& measurement) {
  const search::ResourceUse& resources = measurement.resources;
  const Lease insert = database.lease(
      "INSERT INTO measurement(session_id, configuration_id, status, reason, median_ns, low_ns, high_ns, "
      "samples,"
      " registers_per_thread, static_shared_bytes, dynamic_shared_bytes, local_bytes, threads_per_block, "
      "blocks,"
      " blocks_per_sm, theoretical_occupancy, compile_ms, measure_ms, time_stamp_ms)"
      " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert->bind(session)
      .bind(configuration)
      .bind(search::to_string(measurement.status))
      .bind(measurement.reason)
      .bind(measurement.time.median_ns)
      .bind(measurement.time.low_ns)
      .bind(measurement.time.high_ns)
      .bind(measurement.samples_ns)
      .bind(resources.registers_per_thread)
      .bind(resources.static_shared_bytes)
      .bind(resources.dynamic_shared_bytes)
      .bind(resources.local_bytes)
      .bind(resources.threads_per_block)
      .bind(resources.blocks)
      .bind(resources.blocks_per_sm)
      .bind(resources.theoretical_occupancy)
      .bind(measurement.compile_ms)
      .bind(measurement.measure_ms)
      .bind(measurement.time_stamp_ms)
      .step();
  return database.last_insert_id();
}

namespace {

std::int64_t metric_id(Database& database, const std::string& name) {
  std::unordered_map<std::string, std::int64_t>& known = database.known_ids();
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  database.prepare("INSERT INTO metric(name) VALUES(?) ON CONFLICT DO NOTHING").bind(name).run();
  Statement id = database.prepare("SELECT id FROM metric WHERE name = ?");
  id.bind(name).step();
  return known[name] = id.integer();
}

}  // namespace

void insert_counters(Database& database, std::int64_t measurement, const search::Counters& counters) {
  if (counters.empty()) return;
  const Lease insert =
      database.lease("INSERT INTO counter(measurement_id, metric_id, value) VALUES(?, ?, ?)");
  for (const auto& [name, value] : counters)
    insert->bind(measurement).bind(metric_id(database, name)).bind(value).run();
}

namespace {

// NULL, as in sessions of earlier schemas: unknown.
double real_or_0(Statement& statement) {
  const bool unknown = statement.next_is_null();
  const double value = statement.real();
  return unknown ? 0.0 : value;
}

search::Roofs read_roofs(Statement& statement) {
  search::Roofs roofs;
  roofs.copy_bytes_per_s = real_or_0(statement);
  roofs.fp32_theory_flops_per_s = real_or_0(statement);
  roofs.read_bytes_per_s = real_or_0(statement);
  roofs.fp32_measured_flops_per_s = real_or_0(statement);
  roofs.fp64_flops_per_s = real_or_0(statement);
  roofs.tensor_flops_per_s = real_or_0(statement);
  return roofs;
}

}  // namespace

Session read_session(Statement& statement) {
  Session session;
  session.id = statement.integer();
  session.subject.kernel = statement.text();
  session.subject.kernel_hash = statement.text();
  session.subject.problem = parse_values(statement.text());
  const std::string cache = statement.text();
  const auto parsed = search::parse_cache_state(cache);
  if (!parsed) throw base::InputError("damaged database: unknown cache state '" + cache + "'");
  session.subject.cache = *parsed;
  session.subject.gpu = gpu_from_json(Json::parse(statement.text(), nullptr, false));
  session.environment.warptune_version = statement.text();
  session.environment.driver_version = statement.small();
  session.environment.nvrtc_version = statement.small();
  session.environment.sm_clock_mhz = statement.integer();
  session.environment.memory_clock_mhz = statement.integer();
  session.environment.throttle_reasons = statement.text();
  session.roofs = read_roofs(statement);
  session.work.flops = statement.real();
  session.work.bytes = statement.real();
  const std::string unit = statement.text();
  const auto parsed_unit = search::parse_arithmetic_unit(unit);
  if (!parsed_unit) throw base::InputError("damaged database: unknown arithmetic unit '" + unit + "'");
  session.work.unit = *parsed_unit;
  session.work.written_share = statement.real();
  session.strategy = statement.text();
  session.seed = statement.natural();
  session.budget = statement.text();
  session.objective = statement.text();
  session.replayed = statement.boolean();
  session.started_ms = statement.integer();
  session.finished_ms = statement.integer();
  session.space_size = statement.natural();
  session.default_configuration = parse_values(statement.text());
  return session;
}

StoredMeasurement read_measurement(Statement& statement) {
  StoredMeasurement stored;
  search::Measurement& measurement = stored.measurement;
  stored.id = statement.integer();
  stored.session_id = statement.integer();
  measurement.configuration = parse_values(statement.text());
  const std::string status = statement.text();
  const auto parsed = search::parse_status(status);
  if (!parsed) throw base::InputError("damaged database: unknown status '" + status + "'");
  measurement.status = *parsed;
  measurement.reason = statement.text();
  measurement.time.median_ns = statement.real();
  measurement.time.low_ns = statement.real();
  measurement.time.high_ns = statement.real();
  measurement.samples_ns = statement.reals();
  measurement.resources.registers_per_thread = statement.integer();
  measurement.resources.static_shared_bytes = statement.integer();
  measurement.resources.dynamic_shared_bytes = statement.integer();
  measurement.resources.local_bytes = statement.integer();
  measurement.resources.threads_per_block = statement.integer();
  measurement.resources.blocks = statement.integer();
  measurement.resources.blocks_per_sm = statement.integer();
  measurement.resources.theoretical_occupancy = statement.real();
  measurement.compile_ms = statement.real();
  measurement.measure_ms = statement.real();
  measurement.time_stamp_ms = statement.integer();
  stored.preferred = statement.boolean();
  return stored;
}

search::Counters read_counters(Database& database, std::int64_t measurement) {
  const Lease statement = database.lease(
      "SELECT name, value FROM counter JOIN metric ON metric.id = metric_id WHERE measurement_id = ?");
  statement->bind(measurement);
  search::Counters counters;
  while (statement->step()) {
    const std::string name = statement->text();
    counters[name] = statement->real();
  }
  return counters;
}

}  // namespace warptune::db::detail
