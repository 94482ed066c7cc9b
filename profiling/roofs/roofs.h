#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/roof_reading.h"

namespace warptune::profiling::roofs {

/// The measured roofs of a GPU, and the reasons why the other roofs could not be measured.
struct RoofMeasurements {
  std::vector<model::RoofReading> readings;
  std::vector<std::string> problems;
};

/// Measures the roofs of the GPU with this ordinal, in a context that it makes. Without the time for the
/// context, this takes less than a second. `compile_cache` is a folder for compiled kernels. If the path is
/// empty, nothing is kept. Throws `base::MachineError` when there is no GPU.
RoofMeasurements measure_roofs(const model::GpuDescription& gpu, int ordinal,
                               const std::filesystem::path& compile_cache);

}  // namespace warptune::profiling::roofs
