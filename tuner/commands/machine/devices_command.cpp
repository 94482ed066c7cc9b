#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "db/store.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/roof_text.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::commands::machine {

namespace {

struct DevicesOptions {
  bool measure_roofs = false;
  std::filesystem::path compile_cache;
  std::filesystem::path database;
  bool json = false;
};

Options declare_devices() {
  Options options(
      "devices",
      "Lists the GPUs of this machine, the keys that identify them in the database, and their stored "
      "roofs.");
  options.flag(
      "measure-roofs",
      "measure what memory, arithmetic, the host link and launches reach, and replace what is stored");
  declare_compile_cache(options);
  declare_database(options).common();
  options.example("devices", "Lists the GPUs of this machine.")
      .example("devices --measure-roofs", "Measures what their memory, arithmetic and host link reach.")
      .related({"metrics", "tune"});
  return options;
}

std::optional<DevicesOptions> parse_devices(const std::vector<std::string>& arguments) {
  Options options = declare_devices();
  if (!options.parse(arguments)) return std::nullopt;
  const bool measures = options.is_set("measure-roofs");
  return DevicesOptions{measures, read_compile_cache(options),
                        measures ? read_written_database(options) : read_database(options), options.json()};
}

// The database keeps one set of roofs for each model of GPU. If several GPUs have the same model, the roofs
// of the last one remain.
void store_measured_roofs(gpus::LocalGpus& local, const DevicesOptions& options) {
  db::Store store(options.database);
  const std::vector<model::GpuDescription>& gpus = local.list().gpus;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const profiling::roofs::RoofMeasurements measured =
        gpus::measure_roofs(local, gpus[i], static_cast<int>(i), options.compile_cache);
    for (const std::string& problem : measured.problems)
      base::log_warning(fmt::format("GPU {}: {}", i, problem));
    if (!measured.readings.empty()) store.set_roofs(gpus[i], measured.readings);
  }
}

std::string gpu_table(const std::vector<model::GpuDescription>& gpus) {
  text_output::TextTable table(
      {"device", "name", "architecture", "SMs", "L2 MiB", "memory GiB", "GB/s", "clock MHz", "key"},
      {0, 3, 4, 5, 6, 7});
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const model::GpuDescription& gpu = gpus[i];
    table.add({std::to_string(i), gpu.name, gpu.architecture(), std::to_string(gpu.sm_count),
               fmt::format("{:.1f}", static_cast<double>(gpu.l2_bytes) / 0x1p20),
               fmt::format("{:.1f}", static_cast<double>(gpu.memory_bytes) / 0x1p30),
               fmt::format("{:.0f}", static_cast<double>(gpu.memory_bandwidth_bytes_per_s) * 1e-9),
               fmt::format("{}", gpu.max_clock_khz / 1000), gpu.key()});
  }
  return table.text();
}

std::string roof_table(const std::vector<model::GpuDescription>& gpus, const DevicesOptions& options) {
  text_output::TextTable table(
      {"device", "roof", "measured", "spread", "of theory", "ridge FLOP/byte", "SM MHz", "when", "note"},
      {0, 2, 3, 4, 5, 6});
  bool any = false;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (const text_output::RoofRow& row :
         text_output::roof_rows(gpus::stored_roofs(options.database, gpus[i]), gpus[i])) {
      const model::RoofReading& reading = row.reading;
      any = true;
      table.add({std::to_string(i), reading.name, text_output::reading_value_text(reading),
                 fmt::format("{:.2f} %", 100.0 * reading.relative_spread),
                 row.theory ? fmt::format("{:.1f} %", 100.0 * reading.value / *row.theory) : "",
                 row.ridge_flops_per_byte ? fmt::format("{:.1f}", *row.ridge_flops_per_byte) : "",
                 reading.sm_clock_mhz ? fmt::format("{:.0f}", *reading.sm_clock_mhz) : "",
                 text_output::date_text(reading.time_stamp_ms), row.note});
    }
  }
  return any ? table.text()
             : "no roofs are stored yet; warptune tune measures them, and so does warptune devices "
               "--measure-roofs\n";
}

void print_gpus_as_json(const std::vector<model::GpuDescription>& gpus, const DevicesOptions& options) {
  nlohmann::ordered_json report = json_output::json_head("devices");
  report["devices"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const std::vector<text_output::RoofRow> roofs =
        text_output::roof_rows(gpus::stored_roofs(options.database, gpus[i]), gpus[i]);
    report["devices"].push_back({{"device", i},
                                 {"gpu", json_output::gpu_json(gpus[i])},
                                 {"roof_readings", json_output::roof_readings_json(roofs)}});
  }
  text_output::print_out("{}\n", json_output::to_text(report));
}

int list_devices(const DevicesOptions& options) {
  gpus::LocalGpus local;
  const profiling::GpuList& list = local.list();
  if (list.gpus.empty())
    throw base::MachineError("no GPU: " + list.reason, "replays, queries and exports work without one");
  if (options.measure_roofs) store_measured_roofs(local, options);
  if (options.json) {
    print_gpus_as_json(list.gpus, options);
  } else {
    text_output::print_text("{}\n{}", gpu_table(list.gpus), roof_table(list.gpus, options));
  }
  return 0;
}

int run_devices(const std::vector<std::string>& arguments) {
  const std::optional<DevicesOptions> options = parse_devices(arguments);
  return options ? list_devices(*options) : 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::machine

warptune::tuner::commands::Command warptune::tuner::commands::devices_command() {
  return {"devices", "list the GPUs of this machine and their roofs", machine::run_devices,
          [] { return machine::declare_devices().description(); }};
}
