#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/detail/json_forms.h"
#include "tuner/process_evaluator.h"
#include "tuner/text_table.h"

namespace warptune::tuner::cli {

int run_devices(const std::vector<std::string>& arguments) {
  Options options("devices", "Lists the GPUs of this machine with what tells them apart in the database.");
  options.common();
  if (!options.parse(arguments)) return 0;
  const profiling::GpuCensus census = find_gpus_in_worker();
  if (census.gpus.empty())
    throw base::MachineError("no GPU: " + census.reason, "replays, queries and exports work without one");
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  TextTable table(
      {"device", "name", "architecture", "SMs", "L2 MiB", "memory GiB", "GB/s", "clock MHz", "key"},
      {0, 3, 4, 5, 6, 7});
  for (std::size_t i = 0; i < census.gpus.size(); ++i) {
    const search::GpuDescription& gpu = census.gpus[i];
    table.add({std::to_string(i), gpu.name, gpu.architecture(), std::to_string(gpu.sm_count),
               fmt::format("{:.1f}", static_cast<double>(gpu.l2_bytes) / 0x1p20),
               fmt::format("{:.1f}", static_cast<double>(gpu.memory_bytes) / 0x1p30),
               fmt::format("{:.0f}", static_cast<double>(gpu.memory_bandwidth_bytes_per_s) * 1e-9),
               fmt::format("{}", gpu.max_clock_khz / 1000), gpu.key()});
    nlohmann::ordered_json row = detail::to_json(gpu);
    row["key"] = gpu.key();
    report.push_back(std::move(row));
  }
  if (options.json()) {
    std::cout << detail::to_text(report) << "\n";
  } else {
    fmt::print("{}", table.text());
  }
  return 0;
}

}  // namespace warptune::tuner::cli
