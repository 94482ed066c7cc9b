#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>

#include "db/confirmation.h"
#include "db/formats/exported_winners.h"
#include "db/formats/format_list.h"
#include "db/recordings/values_json.h"

namespace warptune::db::formats {

namespace {

std::string iso_time(std::int64_t time_ms) {
  const std::time_t seconds = time_ms / 1000;
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "1970-01-01T00:00:00.000Z";
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, time_ms % 1000);
}

recordings::Json measurements_of(const model::Measurement& measurement) {
  recordings::Json all = recordings::Json::array();
  all.push_back({{"name", "time"},
                 {"value", recordings::finite_or_null(measurement.time.median_ns / recordings::kNsPerMs)},
                 {"unit", "milliseconds"}});
  for (const auto& [name, value] : measurement.counters) {
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

// One result. T4 itself has no members `kernel`, `problem`, `device`, `replayed` and `confirmed`. The first
// three are there because one file may have results of several kernels, problems and devices. The last two
// say how far a reader may trust the result: whether it comes from a recording, and whether further launches
// on new inputs confirmed it.
recordings::Json result_of(const ExportInput& kernel, const Winner& winner,
                           const model::Measurement& measurement) {
  const model::ResourceUse& use = measurement.resources;
  return {{"timestamp", iso_time(measurement.time_stamp_ms)},
          {"configuration", recordings::to_json(measurement.configuration)},
          {"times", times_of(measurement)},
          {"invalidity", "correct"},
          {"correctness", 1},
          {"measurements", measurements_of(measurement)},
          {"objectives", recordings::Json::array({"time"})},
          {"compilation_data",
           {{"max_work_group_size", winner.workload.gpu.max_threads_per_block},
            {"local_memory_size", use.static_shared_bytes + use.dynamic_shared_bytes},
            {"private_memory_size", use.local_bytes},
            {"constant_memory_size", 0},
            {"registers", use.registers_per_thread},
            {"global_size", use.blocks * use.threads_per_block},
            {"local_size", use.threads_per_block}}},
          {"kernel", kernel.kernel},
          {"problem", recordings::to_json(winner.workload.problem)},
          {"device", winner.workload.gpu.name},
          {"replayed", measurement.replayed},
          {"confirmed", db::is_confirmed(measurement)}};
}

struct Facts {
  std::set<std::string> devices;
  std::set<std::string> versions;
  std::int64_t newest_ms = 0;
};

std::string write_t4(const std::vector<ExportInput>& kernels) {
  Facts facts;
  recordings::Json results = recordings::Json::array();
  for (const ExportInput& kernel : kernels) {
    for (const Winner* winner : exportable(kernel)) {
      facts.devices.insert(winner->workload.gpu.name);
      facts.versions.insert(winner->environment.warptune_version);
      facts.newest_ms = std::max(facts.newest_ms, winner->best.time_stamp_ms);
      results.push_back(result_of(kernel, *winner, winner->best));
      const bool default_differs = winner->default_measurement &&
                                   recordings::canonical_key(winner->default_measurement->configuration) !=
                                       recordings::canonical_key(winner->best.configuration);
      if (default_differs) results.push_back(result_of(kernel, *winner, *winner->default_measurement));
    }
  }
  const recordings::Json json = {{"schema_version", "1.1.0"},
                                 {"metadata",
                                  {{"compute_api", "CUDA"},
                                   {"platform", "NVIDIA CUDA"},
                                   {"device", fmt::format("{}", fmt::join(facts.devices, ", "))},
                                   {"autotuner", "warptune"},
                                   {"autotuner_version", fmt::format("{}", fmt::join(facts.versions, ", "))},
                                   {"timestamp", iso_time(facts.newest_ms)},
                                   {"timeunit", "milliseconds"}}},
                                 {"results", results}};
  return json.dump(2, ' ', false, recordings::Json::error_handler_t::replace) + "\n";
}

}  // namespace

ExportFormat t4_format() { return {"t4", "T4 results, version 1.1.0, for other tuning tools", write_t4}; }

}  // namespace warptune::db::formats
