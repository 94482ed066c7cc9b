#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/roof_reading.h"

namespace warptune::profiling::roofs {

/// The measured roofs of a GPU, and the reasons why others could not be measured.
struct RoofMeasurements {
  std::vector<model::RoofReading> readings;
  std::vector<std::string> problems;
};

/// Measures in a context of its own on the GPU with this ordinal. It takes less than a second, without making
/// the context. `compile_cache` is a folder for compiled kernels. If it is empty, nothing is kept. Throws
/// `base::MachineError` when there is no GPU.
RoofMeasurements measure_roofs(const model::GpuDescription& gpu, int ordinal,
                               const std::filesystem::path& compile_cache);

}  // namespace warptune::profiling::roofs
