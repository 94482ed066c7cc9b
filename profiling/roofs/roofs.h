#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/roof_reading.h"

namespace warptune::profiling::roofs {

/// The measured roofs of a GPU, what the host reaches with it (`host_rates.h`), and the reasons why others
/// could not be measured.
struct RoofMeasurements {
  std::vector<model::RoofReading> readings;
  std::vector<std::string> problems;
};

/// Measures the roofs of the GPU with this ordinal and the host's rates, in a context that it makes. Without
/// the time for the context, this takes about a second. `compile_cache` is a folder for compiled kernels. If
/// the path is empty, nothing is kept. Throws `base::MachineError` when there is no GPU.
RoofMeasurements measure_roofs(const model::GpuDescription& gpu, int ordinal,
                               const std::filesystem::path& compile_cache);

}  // namespace warptune::profiling::roofs
