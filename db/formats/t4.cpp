#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>
#include <set>
#include <utility>

#include "db/confirmation.h"
#include "db/formats/exported_winners.h"
#include "db/formats/format_list.h"
#include "db/formats/t4_workloads.h"
#include "db/recordings/values_json.h"
#include "model/outputs/reproducibility.h"

namespace warptune::db::formats {

namespace {

std::string iso_time(std::int64_t time_ms) {
  const std::time_t seconds = time_ms / 1000;
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "1970-01-01T00:00:00.000Z";
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, time_ms % 1000);
}

recordings::Json milliseconds(const std::optional<double>& time_ns) {
  return time_ns ? recordings::finite_or_null(*time_ns / recordings::kNsPerMs) : recordings::Json(nullptr);
}

recordings::Json measurements_of(const model::Measurement& measurement) {
  recordings::Json all = recordings::Json::array();
  all.push_back({{"name", "time"},
                 {"value", milliseconds(model::median_ns_of(measurement))},
                 {"unit", "milliseconds"}});
  for (const auto& [name, value] : measurement.counters) {
    if (model::outputs::is_digest(name)) continue;
    all.push_back({{"name", name}, {"value", recordings::finite_or_null(value)}, {"unit", ""}});
  }
  return all;
}

recordings::Json times_of(const model::Measurement& measurement) {
  recordings::Json runtimes = recordings::Json::array();
  for (const double sample : measurement.samples_ns)
    runtimes.push_back(recordings::finite_or_null(sample / recordings::kNsPerMs));
  return {{"compilation", recordings::finite_or_null(measurement.compile_ms)},
          {"benchmark", recordings::finite_or_null(measurement.measure_ms)},
          {"framework", 0.0},
          {"search_algorithm", 0.0},
          {"validation", 0.0},
          {"runtimes", runtimes},
          {"data", 0.0},
          {"kernel_overhead", 0.0},
          {"profiling_runs", recordings::Json::array()},
          {"profiling_overhead", 0.0}};
}

// T4 has no words for configurations that were dropped, or whose results are implausible.
const char* invalidity_of(model::Status status) {
  switch (status) {
    case model::Status::kMeasured:
      return "correct";
    case model::Status::kCompileFailed:
      return "compile";
    case model::Status::kLaunchInvalid:
      return "constraints";
    case model::Status::kWrongResult:
    case model::Status::kImplausible:
      return "correctness";
    case model::Status::kDropped:
    case model::Status::kTimedOut:
      return "timeout";
    case model::Status::kLaunchFailed:
    case model::Status::kWorkerDied:
      break;
  }
  return "runtime";
}

// One result. T4 itself has no members `kernel`, `problem`, `device`, `replayed`, `imported` and
// `confirmed`. The first three are there because one file may have results of several kernels, problems and
// devices. The others say how far a reader may trust the result: whether it comes from a recording or from
// another file, and whether further launches on new inputs confirmed it.
recordings::Json result_of(const std::string& kernel, const model::Workload& workload,
                           const model::Measurement& measurement) {
  const model::ResourceUse& use = measurement.resources;
  return {{"timestamp", iso_time(measurement.time_stamp_ms)},
          {"configuration", recordings::to_json(measurement.configuration)},
          {"times", times_of(measurement)},
          {"invalidity", invalidity_of(measurement.status)},
          {"correctness", measurement.status == model::Status::kMeasured ? 1 : 0},
          {"measurements", measurements_of(measurement)},
          {"objectives", recordings::Json::array({"time"})},
          {"compilation_data",
           {{"max_work_group_size", workload.gpu.max_threads_per_block},
            {"local_memory_size", use.static_shared_bytes + use.dynamic_shared_bytes},
            {"private_memory_size", use.local_bytes},
            {"constant_memory_size", 0},
            {"registers", use.registers_per_thread},
            {"global_size", use.blocks * use.threads_per_block},
            {"local_size", use.threads_per_block}}},
          {"kernel", kernel},
          {"problem", recordings::to_json(workload.problem)},
          {"device", workload.gpu.name},
          {"replayed", measurement.source == model::RowSource::kReplayed},
          {"imported", measurement.source == model::RowSource::kImported},
          {"confirmed", db::is_confirmed(measurement)}};
}

// What the results of a file have in common.
struct Facts {
  std::set<std::string> devices;
  std::set<std::string> versions;
  std::int64_t newest_ms = 0;

  void add(const model::Workload& workload, const model::Environment& environment,
           const model::Measurement& measurement) {
    devices.insert(workload.gpu.name);
    versions.insert(environment.warptune_version);
    newest_ms = std::max(newest_ms, measurement.time_stamp_ms);
  }

  recordings::Json metadata() const {
    return {{"compute_api", "CUDA"},
            {"platform", "NVIDIA CUDA"},
            {"device", fmt::format("{}", fmt::join(devices, ", "))},
            {"autotuner", "warptune"},
            {"autotuner_version", fmt::format("{}", fmt::join(versions, ", "))},
            {"timestamp", iso_time(newest_ms)},
            {"timeunit", "milliseconds"}};
  }
};

std::string file_of(const recordings::Json& metadata, const recordings::Json& results) {
  const recordings::Json json = {{"schema_version", "1.1.0"}, {"metadata", metadata}, {"results", results}};
  return json.dump(2, ' ', false, recordings::Json::error_handler_t::replace) + "\n";
}

recordings::Json workload_json(const model::Recording& recording) {
  const model::Workload& workload = recording.workload;
  return {{"kernel", workload.kernel},
          {"kernel_hash", workload.kernel_hash},
          {"problem", recordings::to_json(workload.problem)},
          {"gpu", recordings::to_json(workload.gpu)},
          {"cache", std::string(model::to_string(workload.cache))},
          {"default", recordings::to_json(recording.default_configuration)},
          {"work", recordings::to_json(recording.work)},
          {"roofs", recordings::to_json(recording.roofs)},
          {"environment", recordings::to_json(recording.environment)}};
}

std::string write_t4(const std::vector<ExportInput>& kernels) {
  Facts facts;
  recordings::Json results = recordings::Json::array();
  for (const ExportInput& kernel : kernels) {
    for (const Winner* winner : exportable(kernel)) {
      facts.add(winner->workload, winner->environment, winner->best);
      results.push_back(result_of(kernel.kernel, winner->workload, winner->best));
      const bool default_differs = winner->default_measurement &&
                                   recordings::canonical_key(winner->default_measurement->configuration) !=
                                       recordings::canonical_key(winner->best.configuration);
      if (default_differs)
        results.push_back(result_of(kernel.kernel, winner->workload, *winner->default_measurement));
    }
  }
  return file_of(facts.metadata(), results);
}

}  // namespace

ExportFormat t4_format() { return {"t4", "T4 results, version 1.1.0, for other tuning tools", write_t4}; }

std::string rows_as_t4(const std::vector<model::Recording>& recordings) {
  Facts facts;
  recordings::Json results = recordings::Json::array();
  recordings::Json workloads = recordings::Json::array();
  for (const model::Recording& recording : recordings) {
    for (const model::Measurement& row : recording.measurements) {
      facts.add(recording.workload, recording.environment, row);
      recordings::Json result = result_of(recording.workload.kernel, recording.workload, row);
      result[kT4Workload] = workloads.size();
      result["status"] = std::string(model::to_string(row.status));
      result["reason"] = row.reason;
      result["interval"] = {milliseconds(model::low_ns_of(row)), milliseconds(model::high_ns_of(row))};
      results.push_back(std::move(result));
    }
    workloads.push_back(workload_json(recording));
  }
  recordings::Json metadata = facts.metadata();
  metadata[kT4Workloads] = std::move(workloads);
  return file_of(metadata, results);
}

}  // namespace warptune::db::formats
